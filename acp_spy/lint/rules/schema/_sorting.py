"""Which rule of the family a breach belongs to: each to one, and none to nobody."""

from acp_spy.protocol.breach import Breach, BreachKind
from acp_spy.protocol.spelling import is_spelling_of

_HANDSHAKE = ("InitializeRequest", "InitializeResponse")
# Keys of a handshake that is not this version's: of MCP, or of the other version of ACP.
_FOREIGN = frozenset(
    {
        "agentCapabilities",
        "agentInfo",
        "capabilities",
        "clientCapabilities",
        "clientInfo",
        "info",
        "instructions",
        "serverCapabilities",
        "serverInfo",
        "tools",
    }
)
_CAPABILITIES = (
    "/params/clientCapabilities/",
    "/params/capabilities/",
    "/result/agentCapabilities/",
    "/result/capabilities/",
)
_BLOCKS = ("ContentBlock", "ToolCallContent")
_BLOCK_LISTS = ("content", "prompt", "summary")
_PAIR_LISTS = ("env", "headers", "mcpServers")


def owner(method: str, breach: Breach) -> str:
    """Return the name of the rule that reports `breach`, found in a message about `method`."""
    kind, path = breach.kind, breach.path
    if kind is BreachKind.UNKNOWN_KEY:
        return _owner_of_key(breach)
    if path.startswith("/error"):
        return "malformed-error"
    if breach.key == "_meta" and kind is BreachKind.WRONG_TYPE:
        return "meta-not-an-object"
    if method == "session/request_permission" and path.startswith("/result"):
        return "malformed-permission-answer"
    if breach.shape == "ProtocolVersion" or (
        kind is BreachKind.MISSING_KEY and breach.key == "protocolVersion"
    ):
        return "invalid-protocol-version"
    if kind is BreachKind.RENAMED_KEY:
        return _owner_of_key(breach)
    if kind is BreachKind.WRONG_TAG_KEY and is_spelling_of(breach.key, breach.instead):
        return "snake-case-key"
    if kind is BreachKind.WRONG_TYPE:
        return _owner_of_type(method, breach)
    return _BY_SHAPE.get((kind, breach.shape)) or _BY_KIND[kind]


def _owner_of_key(breach: Breach) -> str:
    if breach.shape in _HANDSHAKE and breach.key in _FOREIGN:
        return "foreign-handshake-key"
    if breach.instead and is_spelling_of(breach.key, breach.instead):
        return "snake-case-key"
    if breach.kind is BreachKind.UNKNOWN_KEY and breach.legal_in.endswith("-unstable"):
        return "unstable-key"
    if breach.instead:
        return "misnamed-key"
    return "unknown-capability" if breach.shape.endswith("Capabilities") else "unknown-key"


def _owner_of_type(method: str, breach: Breach) -> str:
    if breach.path == "/result" and breach.got == "null":
        return "null-result"
    if method == "initialize" and (breach.path + "/").startswith(_CAPABILITIES):
        return "capability-of-wrong-type"
    if breach.key in _PAIR_LISTS and {breach.got, breach.expected} & {"an object"}:
        return "map-instead-of-list"
    if breach.shape in _BLOCKS or (breach.key in _BLOCK_LISTS and breach.expected == "a list"):
        return "misshapen-content"
    return "wrong-type"


_BY_SHAPE = {
    (BreachKind.MISSING_WRAPPER, "SessionNotification"): "missing-update-wrapper",
    (BreachKind.MISSING_WRAPPER, "ToolCallContent"): "unwrapped-tool-content",
    (BreachKind.MISSING_WRAPPER, "UpdateSessionNotification"): "missing-update-wrapper",
    (BreachKind.UNKNOWN_TAG, "ContentBlock"): "unknown-content-type",
    (BreachKind.UNKNOWN_TAG, "SessionUpdate"): "unknown-update",
    (BreachKind.UNKNOWN_TAG, "ToolCallContent"): "unknown-content-type",
    (BreachKind.UNKNOWN_VALUE, "PermissionOptionKind"): "unknown-permission-kind",
    (BreachKind.UNKNOWN_VALUE, "StopReason"): "unknown-stop-reason",
}
_BY_KIND = {
    BreachKind.BAD_FORMAT: "bad-format",
    BreachKind.MISSING_KEY: "missing-key",
    BreachKind.MISSING_TAG: "missing-discriminator",
    BreachKind.MISSING_WRAPPER: "flattened-object",
    BreachKind.OUT_OF_RANGE: "out-of-range",
    BreachKind.TOO_SHORT: "empty-value",
    BreachKind.UNKNOWN_TAG: "unknown-variant",
    BreachKind.UNKNOWN_VALUE: "unknown-value",
    BreachKind.WRONG_TAG_KEY: "wrong-discriminator",
}
