"""Capabilities are those that the version defines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import EDITIONS, names

_MCP = "that is MCP's: in ACP the agent does not list what it offers to models"
_KNOWN = {
    "models": "offer models as a config option of the category `model`",
    "prompts": _MCP,
    "resources": _MCP,
    "roots": _MCP,
    "sampling": _MCP,
    "text": "leave it out: texts are always supported",
    "tools": _MCP,
}


@rule(
    code="SCH009",
    name="unknown-capability",
    severity=Severity.WARNING,
    summary="A capability that this version does not define",
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
def unknown_capability(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    All names in the capabilities are reserved for the specification. One that it does not define is
    ignored by every peer that was not built for it, and a later version may give it another
    meaning. What you add yourself is advertised in `_meta` of the capabilities.
    """
    for mistake in facts.mistakes_of("unknown-capability"):
        keys = [mismatch.key for mismatch in mistake.mismatches]
        known = next((_KNOWN[key] for key in keys if key in _KNOWN), "")
        edition = EDITIONS.get(mistake.first.legal_in, "")
        only = f", though {edition} has it" if edition else ""
        one = len(keys) == 1
        yield Remark(
            f"{names(keys)} {'is no capability' if one else 'are no capabilities'} of this version"
            f"{only}; the peer ignores {'it' if one else 'them'}",
            at=mistake.first.path,
            hint=known or "advertise what is your own in `_meta` of the capabilities",
        )
