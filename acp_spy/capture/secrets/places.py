"""Where in an ACP message secrets stand: `env`, `headers`, what one signs in with, accounts."""

from acp_spy.capture.secrets.json_text import Path
from acp_spy.capture.secrets.names import is_secret_name

# Requests whose parameters are what one signs in with, and those of them that are none of it.
SIGN_IN = frozenset(("authenticate", "auth/login", "auth/authenticate", "session/authenticate"))
SIGN_IN_SIGNS = frozenset((b"uthenticate", b"auth/login"))  # one of them is in each
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


def kind_at(path: Path, method: str) -> str:
    """Return what kind of secret the value at `path` is; empty when the place says nothing."""
    last = path[-1]
    above = path[-2] if len(path) > 1 else ""
    if above in _PAIRS and isinstance(last, str):
        return "env" if above in _VARIABLES else "header"
    if last == "value" and len(path) > 2 and path[-3] in _PAIRS:
        return "env" if path[-3] in _VARIABLES else "header"
    if isinstance(last, str) and is_secret_name(last):
        return "secret"
    if above in _BAGS:
        return "secret"
    if last in _OF_AN_ACCOUNT and (
        above in _ACCOUNTS or (isinstance(above, int) and len(path) > 2 and path[-3] in _ACCOUNTS)
    ):
        return "account"
    if (
        method in SIGN_IN
        and path[0] == "params"
        and path[1:2]
        and path[1] not in _NO_SECRET_IN_SIGN_IN
    ):
        return "login"
    return ""


def is_variable(path: Path) -> bool:
    """Whether the value is one of `"env": ["NAME=value"]`."""
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in _VARIABLES


def is_word(path: Path) -> bool:
    """Whether the value is a word of a command line."""
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in _WORDS
