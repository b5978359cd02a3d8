"""Where in an ACP message secrets are: `env`, `headers`, sign-in parameters, accounts."""

from bisect import bisect_right
from collections.abc import Container, Sequence
from itertools import islice

import msgspec

from acp_spy.protocol.names import NAMED_BY_FIELDS
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import is_secret_name
from acp_spy.secrets.section_keys import is_key_of
from acp_spy.secrets.values import PHRASE
from acp_spy.wire.json_text import Leaf, Path, leaves, unescaped

# Requests whose parameters are what one signs in with, and those of them that are none of it.
SIGN_IN = frozenset(("authenticate", "auth/login", "auth/authenticate", "session/authenticate"))
SIGN_IN_HINTS = frozenset((b"uthenticate", b"auth/login", rb"auth\/login"))  # one is in each
# The `value` beside one of these is a secret: of 1Password, of what Terraform prints, of the
# parameters of AWS, and of a vault of Azure.
_CONCEALED_HINTS = frozenset((b"CONCEALED", b'"sensitive', b"SecureString", b".vault.azure.net"))
_CONCEALED_TYPES = frozenset((b"CONCEALED", b"SecureString"))
_IN_VAULT = expression(rb"https:(?:\\?/){2}[\w-]+\.vault\.azure\.net(?::443)?\\?/secrets\\?/.+")
PLACE_HINTS = SIGN_IN_HINTS | _CONCEALED_HINTS
_NO_SECRET_IN_SIGN_IN = frozenset(("methodId", "sessionId"))

_VARIABLES = frozenset(("env", "environment"))
_HEADERS = frozenset(("headers", "httpHeaders", "http_headers", "requestHeaders"))
_PAIRS = _VARIABLES | _HEADERS
_NO_SECRET_IN_A_PAIR = frozenset(("name", "key", "type", "description"))
_ACCOUNTS = frozenset(("account", "accounts", "accountInfo", "account_info"))
_OF_AN_ACCOUNT = frozenset(
    (
        *("label", "name", "email", "organization", "organizationId", "organizationName", "org"),
        *("displayName", "userId", "user", "username", "accountId", "id", "accountUuid"),
        *("organizationUuid", "phone"),
    )
)
# Of these not every name is somebody's.
_USERS = frozenset(("user", "userInfo", "user_info", "profile", "authStatus", "auth_status"))
_OF_A_USER = frozenset(("email", "phone"))
_WORDS = frozenset(("args", "argv", "arguments"))
# A program, with its words in a list beside it, or a list of the program and its words.
PROGRAM = frozenset(("command", "cmd"))
_ALL_WORDS = frozenset((*_WORDS, *PROGRAM, "Cmd", "Args", "Command", "Entrypoint", "entrypoint"))
# What sorts its fields has the words before the program.
_PROGRAM_AFTER = expression(rb'"(?:command|cmd)"[ \t\r\n]*+:[ \t\r\n]*+"([^"\\]{1,200})"')
_FARTHEST_PROGRAM = 4000
# Of the settings of Docker and Composer; others go by the name of a secret.
_BAGS = frozenset(("auths", "github-oauth", "gitlab-oauth", "gitlab-token"))
# What in `"token": {...}` is the token, and not about it; `"tokens": {...}` are nothing else.
_HELD = frozenset(("value", "raw", "plain", "data", "text", "access", "refresh", "current"))
# These hold descriptions of values, not values.
_SCHEMAS = frozenset(("properties", "patternProperties", "$defs", "definitions"))

# A setting whose name is in one field and whose value is in another.
NAME_FIELDS = frozenset(
    (
        *("name", "Name", "key", "Key", "id", "configId", "config_id", "ParameterKey", "k"),
        *("variable", "field", "setting"),
    )
)
_VALUE_FIELDS = frozenset(
    (
        *("value", "Value", "currentValue", "current_value", "ParameterValue", "val", "v"),
        *("newValue", "new_value", "NewValue", "oldValue", "old_value", "OldValue"),
        *("previousValue", "previous_value", "PreviousValue"),
    )
)
# Where a browser is told to type: `{"element": "Password field", "text": "x"}`.
_INPUTS = frozenset(("element", "selector", "locator"))
_PASSWORD_INPUT = expression(
    r"(?i)(?!.*(?:button|link|toggle|icon|label|heading|strength|forgot|message|error))"
    r".{0,200}pass(?:word|phrase|code)"
)
_TYPED = frozenset(("text", "value"))
_INPUT_HINTS = (b'"element', b'"selector', b'"locator')
_VALUE_HINTS = (
    *_INPUT_HINTS,
    b'alue"',
    b"alue\\",
    b'"val"',
    b'"v"',
    b'"val\\',
    b'"v\\',
)  # one is in each

_PHRASES = frozenset(("mnemonic", "seedPhrase", "seed_phrase", "recoveryPhrase", "recovery_phrase"))
_SECTION_KEYS = frozenset(("key", "Key", "KEY"))
_DECIDED_BY_VALUE = _SECTION_KEYS | _PHRASES
_IN_MANIFEST = frozenset(("data", "stringData"))  # of a Secret of Kubernetes
_COOKIES = frozenset(("cookies",))  # of HAR and of Playwright: `name`, `value`, `path`

# In messages; in the settings of Codex, Zed, VS Code and opencode, by the names of the servers.
_SERVERS = frozenset(("mcpServers", "mcp_servers", "context_servers", "servers", "mcp"))
_ALSO_LISTS = frozenset(("mcpServers", "mcp_servers"))
_URLS = frozenset(("url", "uri", "serverUrl", "httpUrl"))

# How names of fields and headers end, without `_` and `-` and in lower case, that have an id: one
# that a peer made up, or has chosen from a list.
_IDS = (
    *NAMED_BY_FIELDS,
    *("optionid", "modeid", "modelid", "methodid", "configid", "groupid", "planid", "compactionid"),
)
_IDS_BESIDE = frozenset(("connection", "session"))  # of records of HTTP

_RELEVANT = _PAIRS | _SERVERS | _BAGS | _ACCOUNTS | _USERS | _WORDS | _COOKIES


def is_relevant(name: str) -> bool:
    """Whether a message in which this name occurs may hold a secret because of its place."""
    return name in _RELEVANT or is_secret_name(name)


def is_method(path: Path) -> bool:
    """Whether the value is the method of a message."""
    return path[_top(path) :] == ["method"]


def kind_below(path: Path, above: str) -> str:
    """Return the kind of everything in the object or array at `path`; empty for none."""
    last = path[-1] if path else 0
    if above in ("env", "header", "secret", "holder") or not isinstance(last, str):
        return above
    if len(path) > 1 and path[-2] in _SCHEMAS:
        return ""
    if last in _PAIRS:
        return "env" if last in _VARIABLES else "header"
    if last in _BAGS:
        return "secret"
    if last in _COOKIES:
        return "holder"
    if is_secret_name(last):
        return "secret" if last.endswith("s") else "holder"
    if last in _ACCOUNTS:
        return "account"
    return above or ("user" if last in _USERS else "")


def is_id(path: Path) -> bool:
    """Whether the value is an id of the protocol, or of a request."""
    last = path[-1] if path else 0
    if not isinstance(last, str):
        return False
    return _is_id_name(last) or path[_top(path) :] == ["id"]


def is_id_beside(name: str) -> bool:
    """Whether a header, or a field of a record, of this name has an id of the protocol."""
    return name in _IDS_BESIDE or _is_id_name(name)


def _is_id_name(name: str) -> bool:
    return name.replace("_", "").replace("-", "").lower().endswith(_IDS)


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


def kind_at(path: Path, below: str, *, signs_in: bool) -> str:
    """
    Return what kind of secret the value at `path` is; empty when the place says nothing.

    `below` is of what kind all around it is, as `kind_below` says. `signs_in` if it is in a message
    by which one signs in.
    """
    last = path[-1]
    if below in ("env", "header"):
        return "" if line_kind(path, below) or _is_name_in_pair(path) else below
    if below == "secret" or (isinstance(last, str) and is_secret_name(last)):
        return "secret"
    if below == "holder" and (last in _HELD or isinstance(last, int)):
        return "secret"
    if (below == "account" and last in _OF_AN_ACCOUNT) or (below == "user" and last in _OF_A_USER):
        return "account"
    if signs_in:
        steps = _in_message(path)
        if len(steps) > 1 and steps[0] == "params" and steps[1] not in _NO_SECRET_IN_SIGN_IN:
            return "login"
    return ""


def _is_name_in_pair(path: Path) -> bool:
    """Whether it is the name in `[{"name": ..., "value": ...}]`, or in `[["name", "value"]]`."""
    return (
        len(path) > 2
        and isinstance(path[-2], int)
        and path[-3] in _PAIRS
        and (path[-1] in _NO_SECRET_IN_A_PAIR or path[-1] == 0)
    )


def is_named(leaf: Leaf, settings: Container[int]) -> bool:
    """Whether a value goes by the name of a secret; `settings` are objects that have one."""
    last = leaf.path[-1]
    return (isinstance(last, str) and is_secret_name(last)) or leaf.inside in settings


def is_value(path: Path) -> bool:
    """Whether it may be the value of a setting whose name is beside it."""
    return bool(path) and path[-1] in _VALUE_FIELDS


def is_typed(path: Path) -> bool:
    """Whether it may be what is typed into the field of a page that is named beside it."""
    return bool(path) and path[-1] in _TYPED


def is_in_manifest(path: Path) -> bool:
    """Whether it is a value of a Secret of Kubernetes, if the object around is one."""
    return len(path) > 1 and path[-2] in _IN_MANIFEST


def line_kind(path: Path, below: str) -> str:
    """Return `env` or `header` for one of `"env": ["NAME=value"]`, or all of them in one text."""
    last = path[-1] if path else 0
    if below in ("env", "header"):
        return below if isinstance(last, int) and path[-2] in _PAIRS else ""
    return ("env" if last in _VARIABLES else "header") if last in _PAIRS else ""


def is_word(path: Path) -> bool:
    """Whether the value is a word of a command line."""
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in _ALL_WORDS


def is_decided_by_value(path: Path, text: bytes) -> bool:
    """Whether it is the `key` of a section of secrets, or words from which a wallet is made."""
    if not path or path[-1] not in _DECIDED_BY_VALUE or len(path) < 2:
        return False
    if path[-1] in _PHRASES:
        return PHRASE.fullmatch(text) is not None
    section = path[-2]
    return isinstance(section, str) and is_key_of(section, text)


def is_server_url(path: Path) -> bool:
    """Whether the value is the URL of an MCP server, which may have a key in its path."""
    if len(path) < 3 or path[-1] not in _URLS:
        return False
    *_, servers, which, _ = path
    return servers in (_SERVERS if isinstance(which, str) else _ALSO_LISTS)


def program_after(raw: bytes, at: int) -> list[bytes]:
    """Return the program of a list of words that begins before `at`, if it comes after them."""
    found = _PROGRAM_AFTER.search(raw, at, at + _FARTHEST_PROGRAM)
    return [found[1]] if found else []


def _top(path: Path) -> int:
    """Return after how many steps the message begins: one in a batch, else none."""
    return int(bool(path) and isinstance(path[0], int))


def _in_message(path: Path) -> Path:
    """Return the steps within a message, also if it is wrapped: in the `params` of another."""
    steps = path[_top(path) :]
    while steps[:2] in (["params", "params"], ["params", "method"]):
        steps = steps[1:]
    return steps


class MessageContext(msgspec.Struct, frozen=True):
    """
    What must be known of a whole JSON text before its values can be judged.

    These are the messages, and which of them sign in, the settings that have the name of a secret,
    what is typed into the field of a page, the Secrets of Kubernetes, and values that are marked.

    Each is known by where its object begins: `{"value": ..., "name": "apiKey"}`. A text may have
    several messages: as a batch, or as the lines of a log.
    """

    messages: tuple[int, ...] = ()
    sign_ins: frozenset[int] = frozenset()
    settings: frozenset[int] = frozenset()
    inputs: frozenset[int] = frozenset()
    manifests: frozenset[int] = frozenset()
    concealed: frozenset[int] = frozenset()

    def signs_in(self, at: int) -> bool:
        """Whether what is at `at` is in a message by which one signs in."""
        if not self.sign_ins:
            return False
        last = bisect_right(self.messages, at) - 1
        return last >= 0 and self.messages[last] in self.sign_ins


_NO_CONTEXT = MessageContext()
_DEEPEST_CONCEALED = 40  # steps: a path is as long as it is deep
Steps = tuple[str | int, ...]
_LONGEST = 1024  # bytes of a name, or of a method


def _concealed(raw: bytes, start: int) -> tuple[set[int], set[int]]:
    """Return the objects that say that their `value` is a secret, and what is in these values."""
    if not any(hint in raw for hint in _CONCEALED_HINTS):
        return set(), set()
    paths: set[Steps] = set()
    found: set[int] = set()
    for leaf in leaves(raw, start):
        if not leaf.is_name and _conceals(leaf.path, raw[leaf.start : leaf.end]):
            found.add(leaf.inside)
            if len(leaf.path) <= _DEEPEST_CONCEALED:
                paths.add(tuple(leaf.path[:-1]))
    return found, _below_values(raw, start, found, paths)


def _conceals(path: Path, what: bytes) -> bool:
    return (
        (what == b"true" and path[-1:] == ["sensitive"])
        or (what in _CONCEALED_TYPES and path[-1:] in (["type"], ["Type"]))
        or (path[-1:] == ["id"] and _IN_VAULT.fullmatch(what) is not None)
    )


def _below_values(raw: bytes, start: int, concealed: Container[int], paths: set[Steps]) -> set[int]:
    """
    Return the lists and objects within the values of `concealed` objects, which are at `paths`.

    A text of several lines has several objects at the same path: the last that began is asked.
    """
    below: set[int] = set()
    current: dict[Steps, int] = {}
    for leaf in leaves(raw, start) if paths else ():
        if not leaf.path or len(leaf.path) > _DEEPEST_CONCEALED:
            continue
        own = tuple(leaf.path[:-1])
        if own in paths:
            current[own] = leaf.inside
        if any(
            own[at] in _VALUE_FIELDS and current.get(own[:at]) in concealed
            for at in range(len(own))
        ):
            below.add(leaf.inside)
    return below


def read_context(raw: bytes, start: int, *, has_escapes: bool) -> MessageContext:
    """Return the context of the JSON at `start`; `has_escapes` if ASCII in it may be escaped."""
    may_sign_in = has_escapes or any(hint in raw for hint in SIGN_IN_HINTS)
    has_value = has_escapes or any(hint in raw for hint in _VALUE_HINTS)
    has_manifest = b'"Secret"' in raw
    if not may_sign_in and not has_value and not has_manifest:
        return _NO_CONTEXT
    messages, sign_ins = _sign_ins(raw, start) if may_sign_in else ((), frozenset())
    settings, concealed = _concealed(raw, start)
    inputs: set[int] = set()
    manifests: set[int] = set()
    for leaf in leaves(raw, start):
        if not leaf.is_string or leaf.is_name or not leaf.path:
            continue
        if has_manifest and leaf.path[-1] == "kind":
            if raw[leaf.start : leaf.end] == b"Secret":
                manifests.add(leaf.inside)
            continue
        is_setting = leaf.path[-1] in NAME_FIELDS
        is_input = leaf.path[-1] in _INPUTS
        if not is_setting and not is_input:
            continue
        text = _text_of(raw, leaf)
        if is_setting and is_secret_name(text):
            settings.add(leaf.inside)
        elif is_input and _PASSWORD_INPUT.match(text):
            inputs.add(leaf.inside)
    return MessageContext(
        messages,
        sign_ins,
        frozenset(settings),
        frozenset(inputs),
        frozenset(manifests),
        frozenset(concealed),
    )


def _sign_ins(raw: bytes, start: int) -> tuple[tuple[int, ...], frozenset[int]]:
    """Return where the messages of a text begin, and those by which one signs in."""
    messages: dict[int, None] = {}
    sign_ins: set[int] = set()
    for leaf in leaves(raw, start):
        if leaf.is_name and len(leaf.path) == 1 + _top(leaf.path):
            messages[leaf.inside] = None
        elif leaf.is_string and _is_any_method(leaf.path) and _text_of(raw, leaf) in SIGN_IN:
            messages[leaf.inside] = None
            sign_ins.add(leaf.inside)
    return tuple(messages), frozenset(sign_ins)


def _is_any_method(path: Path) -> bool:
    """Whether the value is the method of a message, also of one that is wrapped."""
    return path[-1:] == ["method"] and _in_message(path) == ["method"]


def _text_of(raw: bytes, leaf: Leaf) -> str:
    return unescaped(raw[leaf.start : leaf.end][:_LONGEST]).decode(errors="replace")
