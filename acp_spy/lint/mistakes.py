"""
Group mismatches into mistakes: those with one cause are one mistake, reported by one SCH rule.

Three custom fields in one object are one mistake, and so is the same one in every item of a list.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.protocol.mismatch import Mismatch, MismatchKind
from acp_spy.protocol.spelling import is_spelling_of

# One per frame, in however many places: a peer that makes one of these makes them all.
_ONE_A_FRAME = frozenset(
    {
        "foreign-handshake-field",
        "malformed-permission-response",
        "snake-case-field",
        "unstable-field",
    }
)
# One per object.
_ONE_AN_OBJECT = frozenset(
    {
        "invalid-protocol-version",
        "malformed-error",
        "missing-field",
        "missing-update-wrapper",
        "unknown-capability",
        "unknown-field",
    }
)
# For these, two different values are two mistakes.
_VALUES = (MismatchKind.UNKNOWN_TAG, MismatchKind.UNKNOWN_VALUE)


class Mistake(msgspec.Struct, frozen=True):
    """
    The subject of one remark.

    `mismatches` are those of the first place. `others` are the same again in other places.
    """

    rule: str
    mismatches: tuple[Mismatch, ...]
    others: tuple[Mismatch, ...] = ()

    @property
    def first(self) -> Mismatch:
        """The mismatch that gives the mistake its place."""
        return self.mismatches[0]

    @property
    def more(self) -> int:
        """In how many other places it occurs."""
        return len(self.others) // len(self.mismatches)


def group(method: str, mismatches: list[Mismatch]) -> list[Mistake]:
    """Return the mistakes behind these mismatches, in a message about `method`."""
    around = _Surroundings(method, mismatches)
    groups: dict[tuple[str, str | int], list[Mismatch]] = {}
    for index, mismatch in enumerate(mismatches):
        name, place = around.of(mismatch)
        if name in _ONE_A_FRAME:
            key: tuple[str, str | int] = (name, "")
        else:
            key = (name, place if name in _ONE_AN_OBJECT else index)
        groups.setdefault(key, []).append(mismatch)
    return _merged((name, tuple(found)) for (name, _), found in groups.items())


class _Surroundings:
    """What else is wrong with the object that a mismatch is in."""

    def __init__(self, method: str, mismatches: list[Mismatch]) -> None:
        self.method = method
        self.missing: dict[
            str, dict[str, str]
        ] = {}  # by object: the missing field, and the rule that reports it
        self.unwrapped: set[str] = set()
        for mismatch in mismatches:
            if mismatch.kind is MismatchKind.MISSING_KEY:
                owners = self.missing.setdefault(mismatch.path, {})
                owners[mismatch.key] = owner(method, mismatch)
            elif owner(method, mismatch) == "missing-update-wrapper":
                self.unwrapped.add(mismatch.path)

    def of(self, mismatch: Mismatch) -> tuple[str, str]:
        """Return the rule that reports `mismatch`, and the object that it is about."""
        name, place = owner(self.method, mismatch), mismatch.path.rpartition("/")[0]
        lacks = self.missing.get(place, {})
        if lacks and (name == "unknown-field" or mismatch.instead in lacks):
            return next(iter(lacks.values())), place  # it is in place of what is missing
        if mismatch.instead == "sessionUpdate" and place in self.unwrapped:
            return "missing-update-wrapper", place
        if mismatch.kind is MismatchKind.MISSING_KEY or name == "missing-update-wrapper":
            return name, mismatch.path
        return name, place


def _merged(groups: Iterable[tuple[str, tuple[Mismatch, ...]]]) -> list[Mistake]:
    """Merge mistakes that differ only in the item of a list where they occur."""
    alike: dict[Any, list[tuple[Mismatch, ...]]] = {}
    for name, found in groups:
        alike.setdefault((name, tuple(map(_likeness, found))), []).append(found)
    return [
        Mistake(name, same[0], tuple(mismatch for found in same[1:] for mismatch in found))
        for (name, _), same in alike.items()
    ]


def _likeness(mismatch: Mismatch) -> tuple[Any, ...]:
    steps = tuple("*" if step.isdigit() else step for step in mismatch.path.split("/"))
    key = "*" if mismatch.key.isdigit() else mismatch.key
    value = mismatch.got if mismatch.kind in _VALUES else ""
    return mismatch.kind, steps, key, mismatch.expected, mismatch.instead, mismatch.lenient, value


# The one rule that reports a mismatch.

_HANDSHAKE = ("InitializeRequest", "InitializeResponse")
# Fields of another handshake: of MCP, or of the other version of ACP.
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
_OPTION = "/result/outcome/optionId"  # of a permission that is `cancelled`: it is one or the other
_BLOCKS = ("ContentBlock", "ToolCallContent")
_BLOCK_LISTS = ("content", "prompt", "summary")
_PAIR_LISTS = ("env", "headers", "mcpServers")


def owner(method: str, mismatch: Mismatch) -> str:
    """Return the name of the rule that reports `mismatch`, found in a message about `method`."""
    kind, path = mismatch.kind, mismatch.path
    if kind is MismatchKind.UNKNOWN_KEY and path != _OPTION:
        return _owner_of_key(mismatch)
    if path.startswith("/error"):
        return "malformed-error"
    if mismatch.key == "_meta" and kind is MismatchKind.WRONG_TYPE:
        return "meta-not-an-object"
    if method == "session/request_permission" and path.startswith("/result"):
        return "malformed-permission-response"
    if mismatch.shape == "ProtocolVersion" or (
        kind is MismatchKind.MISSING_KEY and mismatch.key == "protocolVersion"
    ):
        return "invalid-protocol-version"
    if kind is MismatchKind.RENAMED_KEY:
        return _owner_of_key(mismatch)
    if kind is MismatchKind.WRONG_TAG_KEY and is_spelling_of(mismatch.key, mismatch.instead):
        return "snake-case-field"
    if kind is MismatchKind.WRONG_TYPE:
        return _owner_of_type(method, mismatch)
    return _BY_SHAPE.get((kind, mismatch.shape)) or _BY_KIND[kind]


def _owner_of_key(mismatch: Mismatch) -> str:
    if mismatch.shape in _HANDSHAKE and mismatch.key in _FOREIGN:
        return "foreign-handshake-field"
    if mismatch.instead and is_spelling_of(mismatch.key, mismatch.instead):
        return "snake-case-field"
    if mismatch.kind is MismatchKind.UNKNOWN_KEY and mismatch.legal_in.endswith("-unstable"):
        return "unstable-field"
    if mismatch.instead:
        return "misnamed-field"
    return "unknown-capability" if mismatch.shape.endswith("Capabilities") else "unknown-field"


def _owner_of_type(method: str, mismatch: Mismatch) -> str:
    if mismatch.path == "/result" and mismatch.got == "null":
        return "null-result"
    if method == "initialize" and (mismatch.path + "/").startswith(_CAPABILITIES):
        return "wrong-capability-type"
    if mismatch.key in _PAIR_LISTS and {mismatch.got, mismatch.expected} & {"an object"}:
        return "map-instead-of-list"
    if mismatch.shape in _BLOCKS or (
        mismatch.key in _BLOCK_LISTS and mismatch.expected == "a list"
    ):
        return "malformed-content"
    return "wrong-type"


_BY_SHAPE = {
    (MismatchKind.MISSING_WRAPPER, "SessionNotification"): "missing-update-wrapper",
    (MismatchKind.MISSING_WRAPPER, "ToolCallContent"): "unwrapped-tool-content",
    (MismatchKind.MISSING_WRAPPER, "UpdateSessionNotification"): "missing-update-wrapper",
    (MismatchKind.UNKNOWN_TAG, "ContentBlock"): "unknown-content-type",
    (MismatchKind.UNKNOWN_TAG, "SessionUpdate"): "unknown-update",
    (MismatchKind.UNKNOWN_TAG, "ToolCallContent"): "unknown-content-type",
    (MismatchKind.UNKNOWN_VALUE, "PermissionOptionKind"): "unknown-permission-kind",
    (MismatchKind.UNKNOWN_VALUE, "StopReason"): "unknown-stop-reason",
}
_BY_KIND = {
    MismatchKind.BAD_FORMAT: "bad-format",
    MismatchKind.MISSING_KEY: "missing-field",
    MismatchKind.MISSING_TAG: "missing-discriminator",
    MismatchKind.MISSING_WRAPPER: "flattened-object",
    MismatchKind.OUT_OF_RANGE: "out-of-range",
    MismatchKind.TOO_SHORT: "empty-value",
    MismatchKind.UNKNOWN_TAG: "unknown-variant",
    MismatchKind.UNKNOWN_VALUE: "unknown-value",
    MismatchKind.WRONG_TAG_KEY: "wrong-discriminator",
}
