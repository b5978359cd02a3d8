"""What a peer has advertised, in the words of a remark. No rule: what the family's rules share."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Conversation, Phase
from acp_spy.lint.facts import Facts
from acp_spy.protocol.capability_gates import V1, V2, Gate, Gates, is_advertised
from acp_spy.wire.frame import Peer

SETUPS = ("session/new", "session/load", "session/resume", "session/fork")

_SESSIONS = Gate(Peer.AGENT, ("session",), "object")
_BASELINE = frozenset(
    ("session/new", "session/list", "session/resume", "session/close", "session/prompt")
)


def is_version_2(version: Any) -> bool:
    """Tell whether version 2 was agreed on; `true` and `2.0` are no versions."""
    return type(version) is int and version == 2


def gates_of(version: Any) -> Gates:
    """Return the gates that stand on a connection of this version."""
    return V2 if is_version_2(version) else V1


def gate_of(method: str, version: Any) -> Gate | None:
    """Return the gate in front of a method. Version 2 has one in front of all sessions."""
    gate = gates_of(version).methods.get(method)
    if gate is None and is_version_2(version) and method in _BASELINE:
        return _SESSIONS
    return gate


def lack(state: Conversation, gate: Gate) -> str:
    """
    Say how the capability is lacking; nothing if it is there, or if nobody can know.

    Before the handshake is over nobody can, and another rule says so. A marker of the wrong type
    was meant to advertise: the schema family names it, in the handshake where it can be mended.
    """
    if state.phase is not Phase.READY or gate.side not in state.capabilities:
        return ""
    return lack_in(state.capabilities[gate.side], gate)


def lack_in(capabilities: Any, gate: Gate) -> str:
    """Say how these capabilities lack what the gate asks for, as `lack` does."""
    if is_advertised(capabilities, gate):
        return ""
    value = capabilities
    for depth, key in enumerate(gate.path):
        if value is None:
            break
        if not isinstance(value, dict):
            return ""
        if value.get(key) is False:
            said = ".".join(gate.path[: depth + 1])
            return f"the {gate.side.value} advertised `{said}: false`"
        value = value.get(key)
    if value is not None:
        return ""
    return f"the {gate.side.value} did not advertise `{gate.name}`"


def advert(gate: Gate) -> str:
    """Spell the marker that opens the gate."""
    return f"`{gate.name}: {'true' if gate.marker == 'bool' else '{}'}`"


def is_spoken_for(facts: Facts, place: str) -> bool:
    """Tell whether the schema does not even know what stands there: that is said elsewhere."""
    return any(mismatch.path == place for mismatch in facts.mismatches)


def entries(body: Any, key: str, tag: str = "type") -> Iterator[tuple[int, str]]:
    """Yield the place and tag of each entry in a list, the first of each tag."""
    items = body.get(key) if isinstance(body, dict) else None
    seen = set()
    for index, item in enumerate(items if isinstance(items, list) else ()):
        found = item.get(tag) if isinstance(item, dict) else None
        if isinstance(found, str) and found not in seen:
            seen.add(found)
            yield index, found
