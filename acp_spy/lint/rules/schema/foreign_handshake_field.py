"""The handshake has the keys of the version that it speaks."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import names, severity


@rule(
    code="SCH007",
    name="foreign-handshake-field",
    severity=Severity.WARNING,
    summary="The handshake has keys of MCP or of another version",
    on=("mismatch",),
    covers=("INI-09", "INI-19", "V2-01"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "capabilities": {"fs": {"readTextFile": true}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
)
def foreign_handshake_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Version 1 says `clientCapabilities` and `clientInfo`, `agentCapabilities` and `agentInfo`. MCP
    and version 2 say `capabilities`, MCP says `serverInfo`. The wrong key is ignored: the peer
    takes it that nothing is supported, and never asks for a file, sends an image or loads a session.

    Keys of the other version that are sent besides the right ones, so that old and new peers find
    theirs, are only a note.
    """
    for mistake in facts.mistakes_of("foreign-handshake-field"):
        keys = names(mismatch.key for mismatch in mistake.mismatches)
        expected = [mismatch.instead for mismatch in mistake.mismatches if mismatch.instead]
        if expected:
            text = (
                f"{keys} where {names(expected)} {'is' if len(expected) == 1 else 'are'} expected"
            )
            hint = "rename it, or the peer reads nothing of it"
        else:
            text = f"{keys}: this version's handshake has no such key, and the peer ignores it"
            hint = "leave it out, unless peers of the other version are to find it"
        yield Remark(
            text,
            at=mistake.first.path,
            severity=severity(mistake) if expected else Severity.NOTE,
            hint=hint,
        )
