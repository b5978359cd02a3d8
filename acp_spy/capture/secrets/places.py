"""Where in an ACP message secrets stand: `env`, `headers`, what one signs in with, accounts."""

from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import islice

from acp_spy.capture.secrets.names import LONGEST_NAME, is_secret_name
from acp_spy.wire.json_text import Path

# Requests whose parameters are what one signs in with, and those of them that are none of it.
SIGN_IN = frozenset(("authenticate", "auth/login", "auth/authenticate", "session/authenticate"))
SIGN_IN_SIGNS = frozenset((b"uthenticate", b"auth/login", rb"auth\/login"))  # one is in each
_NO_SECRET_IN_SIGN_IN = frozenset(("methodId", "sessionId"))

_VARIABLES = frozenset(("env", "environment"))
_PAIRS = frozenset((*_VARIABLES, "headers", "httpHeaders", "http_headers", "requestHeaders"))
_ACCOUNTS = frozenset(("account", "accounts"))
_OF_AN_ACCOUNT = frozenset(
    (
        *("label", "name", "email", "organization", "organizationId", "organizationName", "org"),
        *("displayName", "userId", "user", "username", "accountId", "id", "accountUuid"),
        *("organizationUuid", "phone"),
    )
)
_BAGS = frozenset(("credential", "credentials", "secrets"))
_WORDS = frozenset(("args", "argv", "arguments"))

_TELLING = _PAIRS | _ACCOUNTS | _BAGS | _WORDS


def is_telling(name: str) -> bool:
    """Whether a message in which this name occurs may hold a secret because of its place."""
    return name in _TELLING or is_secret_name(name)


def message_of(path: Path) -> int | None:
    """Return which message of a batch `path` leads into; `None` for the only one of a line."""
    return path[0] if path and isinstance(path[0], int) else None


def is_method(path: Path) -> bool:
    """Whether the value is the method of a message."""
    return path[-1:] == ["method"] and len(path) == 1 + _top(path)


class Below:
    """
    Whether a value goes by one of `names`, or stands below one: asked along a walk, leaf by leaf.

    What was answered before is kept, as to ask all steps of a deep path anew would take too long.
    """

    def __init__(self, names: Container[str]) -> None:
        self._names = names
        self._depth = 0
        self._name = ""

    def has(self, path: Path) -> bool:
        """Whether the next leaf of the walk, which may be a name, is such a value."""
        if self._depth and len(path) >= self._depth and path[self._depth - 1] == self._name:
            return True
        last = path[-1] if path else 0
        is_named = isinstance(last, str) and last.lower() in self._names
        self._depth, self._name = (len(path), str(last)) if is_named else (0, "")
        return is_named


def leads_to(pointer: Sequence[str], path: Path) -> bool:
    """
    Whether `path` is at the place that `pointer` names, or below it; `*` is any one step.

    In a batch that is a place of the whole line, or of one of its messages.
    """
    for top in (0, 1)[: 1 + _top(path)]:
        if len(path) - top < len(pointer):
            return False
        for wanted, step in zip(pointer, islice(path, top, None), strict=False):
            if wanted != "*" and wanted != str(step):
                break
        else:
            return True
    return False


def kind_at(path: Path, sign_ins: frozenset[int | None]) -> str:
    """
    Return what kind of secret the value at `path` is; empty when the place says nothing.

    `sign_ins` are the messages by which one signs in, as `message_of` tells them.
    """
    depth = len(path)
    kind = _kind_by_names(
        _name(path[-1]),
        _name(path[-2]) if depth > 1 else "",
        _name(path[-3]) if depth > 2 else "",
    )
    if kind or not sign_ins:
        return kind
    top = _top(path)
    if (
        message_of(path) in sign_ins
        and depth > top + 1
        and path[top] == "params"
        and path[top + 1] not in _NO_SECRET_IN_SIGN_IN
    ):
        return "login"
    return ""


def _name(step: str | int) -> str | int:
    """Return a step as far as it matters: neither which item it is, nor what is too long."""
    if isinstance(step, int):
        return 0
    return step if len(step) <= LONGEST_NAME else ""


@lru_cache(maxsize=4096)
def _kind_by_names(last: str | int, above: str | int, beyond: str | int) -> str:
    """
    Return what the last three steps of a path make of a value; 0 is for any place in a list.

    A message has thousands of values, and few places: each is asked about once.
    """
    if above in _PAIRS and isinstance(last, str):
        return "env" if above in _VARIABLES else "header"
    if last == "value" and beyond in _PAIRS:
        return "env" if beyond in _VARIABLES else "header"
    if isinstance(last, str) and is_secret_name(last):
        return "secret"
    if above in _BAGS:
        return "secret"
    if last in _OF_AN_ACCOUNT and (above in _ACCOUNTS or (above == 0 and beyond in _ACCOUNTS)):
        return "account"
    return ""


def is_variable(path: Path) -> bool:
    """Whether the value is one of `"env": ["NAME=value"]`."""
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in _VARIABLES


def is_word(path: Path) -> bool:
    """Whether the value is a word of a command line."""
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in _WORDS


def _top(path: Path) -> int:
    """Return after how many steps the message begins: one in a batch, else none."""
    return 0 if message_of(path) is None else 1
