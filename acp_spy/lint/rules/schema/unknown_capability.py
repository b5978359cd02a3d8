"""Capabilities are those that the protocol version defines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import EDITIONS, names
from acp_spy.protocol.capability_gates import V1
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

_MCP = "remove it: it is an MCP capability; an ACP agent does not list what it offers to models"
_KNOWN = {
    "models": "offer models as a config option of the category `model`",
    "prompts": _MCP,
    "resources": _MCP,
    "roots": _MCP,
    "sampling": _MCP,
    "text": "remove it: text is always supported",
    "tools": _MCP,
}
# The capabilities of the agent that belong into an inner object, by name.
_INNER = {
    gate.path[-1]: gate.path[0]
    for gate in (*V1.methods.values(), *V1.prompt_blocks.values(), *V1.mcp_servers.values())
    if gate.side is Peer.AGENT and len(gate.path) == 2
}


@rule(
    code="SCH009",
    name="unknown-capability",
    severity=Severity.WARNING,
    summary="A capability is not defined in this version",
    on=("mismatch",),
    covers=("INI-20", "EXT-02", "V2-25"),
    spec="https://agentclientprotocol.com/protocol/extensibility#advertising-custom-capabilities",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"screenshots": true}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"_meta": {"example.com": {"screenshots": true}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
)
def unknown_capability(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports capabilities that the specification does not define. All names in the capabilities are
    reserved. One that belongs into an inner object, such as `sessionCapabilities`, is an error,
    unless it is there, too.

    ## Why it matters
    Other peers ignore the capability, and a later version may give the name another meaning.

    ## Use instead
    Advertise custom features in `_meta` of the capabilities.
    """
    for mistake in facts.mistakes_of("unknown-capability"):
        groups: dict[tuple[str, bool], list[Mismatch]] = {}
        for mismatch in mistake.mismatches:
            place = _place_of(mismatch)
            inner = fields(fields(fields(step.body).get("agentCapabilities")).get(place))
            groups.setdefault((place, bool(place) and mismatch.key in inner), []).append(mismatch)
        for (place, is_there), mismatches in groups.items():
            yield _remark(mismatches, place, is_there=is_there)


def _remark(mismatches: list[Mismatch], place: str, *, is_there: bool) -> Remark:
    """Report capabilities that belong into `place`, if anywhere; `is_there`: and are there, too."""
    keys = [mismatch.key for mismatch in mismatches]
    edition = EDITIONS.get(mismatches[0].legal_in, "")
    only = f", although {edition} defines it" if edition else ""
    one = len(keys) == 1
    if is_there:
        hint = f"remove {names(keys)} here: `{place}` has {'it' if one else 'them'}"
    elif place:
        hint = f"put {names(keys)} into `{place}`"
    else:
        known = next((_KNOWN[key] for key in keys if key in _KNOWN), "")
        hint = known or "advertise custom features in `_meta` of the capabilities"
    return Remark(
        f"{names(keys)} {'is not a capability' if one else 'are not capabilities'} of this version"
        f"{only}; the peer ignores {'it' if one else 'them'}",
        at=mismatches[0].path,
        severity=Severity.ERROR if place and not is_there else None,
        hint=hint,
    )


def _place_of(mismatch: Mismatch) -> str:
    """Return where a capability belongs that is in the wrong object; empty if nowhere."""
    if not mismatch.path.endswith(f"/agentCapabilities/{mismatch.key}"):
        return ""
    return _INNER.get(mismatch.key, "")
