"""Which capabilities the peers advertised, and how a finding says so. Shared by the CAP rules."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Conversation, Phase
from acp_spy.lint.facts import Facts
from acp_spy.protocol.capability_gates import V1, V2, Gate, Gates, is_advertised
from acp_spy.wire.frame import Peer

_SESSIONS = Gate(Peer.AGENT, ("session",), "object")
_BASELINE = frozenset(
    ("session/new", "session/list", "session/resume", "session/close", "session/prompt")
)


def is_version_2(version: Any) -> bool:
    """Return whether version 2 was negotiated; `true` and `2.0` are not versions."""
    return type(version) is int and version == 2


def gates_of(version: Any) -> Gates:
    """Return the capability gates of this protocol version."""
    return V2 if is_version_2(version) else V1


def gate_of(method: str, version: Any) -> Gate | None:
    """Return the gate of a method. Version 2 has one gate for all basic session methods."""
    gate = gates_of(version).methods.get(method)
    if gate is None and is_version_2(version) and method in _BASELINE:
        return _SESSIONS
    return gate


def lack(state: Conversation, gate: Gate) -> str:
    """
    Return how the capability is missing, as part of a sentence; empty if it was advertised.

    Also empty before the handshake is done, which LIF001 reports. A marker of the wrong type was
    meant to advertise: SCH014 reports it at the handshake, where it must be fixed.
    """
    if state.phase is not Phase.READY or gate.side not in state.capabilities:
        return ""
    return lack_in(state.capabilities[gate.side], gate)


def lack_in(capabilities: Any, gate: Gate) -> str:
    """Return how these capabilities lack the one of the gate, as `lack` does."""
    if is_advertised(capabilities, gate):
        return ""
    value = capabilities
    for depth, key in enumerate(gate.path):
        if value is None:
            break
        if not isinstance(value, dict):
            return ""
        if value.get(key) is False:
            path = ".".join(gate.path[: depth + 1])
            return f"the {gate.side.value} advertised `{path}: false`"
        value = value.get(key)
    if value is not None:
        return ""
    return f"the {gate.side.value} did not advertise `{gate.name}`"


def advert(gate: Gate) -> str:
    """Return the capability of the gate as it is written in a handshake."""
    return f"`{gate.name}: {'true' if gate.marker == 'bool' else '{}'}`"


def has_mismatch_at(facts: Facts, place: str) -> bool:
    """Return whether the value at this place is not in the schema, which the SCH rules report."""
    return any(mismatch.path == place for mismatch in facts.mismatches)


def entries(body: Any, key: str, tag: str = "type") -> Iterator[tuple[int, str]]:
    """Yield the index and tag of the first entry of each tag in a list."""
    items = body.get(key) if isinstance(body, dict) else None
    seen = set()
    for index, item in enumerate(items if isinstance(items, list) else ()):
        found = item.get(tag) if isinstance(item, dict) else None
        if isinstance(found, str) and found not in seen:
            seen.add(found)
            yield index, found
