"""The handshake has the fields of its own protocol version."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.mismatches import CLIENT_V1, CLIENT_V2
from acp_spy.lint.mistakes import Mistake
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import names, severity
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields


@rule(
    code="SCH007",
    name="foreign-handshake-field",
    severity=Severity.WARNING,
    summary="The handshake contains fields of MCP or of another version",
    on=("mismatch", "result:initialize", "error:initialize"),
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
def foreign_handshake_field(moment: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports fields such as `capabilities` (MCP, ACP version 2) or `serverInfo` (MCP) in a handshake
    of another version. Version 1 uses `clientCapabilities`, `clientInfo`, `agentCapabilities` and
    `agentInfo`. Fields of the other version that are sent in addition to the right ones are a note.
    Fields of version 1 are reported only if the agent then selects another version.

    ## Why it matters
    The peer ignores the field and assumes that nothing is supported. It never requests a file,
    sends an image or loads a session.

    ## Use instead
    Use the field names of the version in `protocolVersion`.
    """
    if moment.method == "initialize" and not isinstance(moment.message, Request):
        held = memory.pop("held", ())
        if fields(moment.body).get("protocolVersion") == 2:
            yield from held
            yield from _of_version_1(moment)
    for mistake in facts.mistakes_of("foreign-handshake-field"):
        keys = {mismatch.key for mismatch in mistake.mismatches}
        if isinstance(moment.message, Request) and keys <= CLIENT_V1:
            # The response says whether version 2 counts, which was requested.
            memory.setdefault("held", []).append(_remark(mistake, moment))
        else:
            yield _remark(mistake, moment)


def _of_version_1(step: Step) -> Iterator[Remark]:
    """Give what is wrong with a client that requested version 2 with the fields of version 1."""
    asked = fields(step.exchange.params if step.exchange else None)
    if not step.exchange or asked.get("protocolVersion") != 2 or not CLIENT_V2.isdisjoint(asked):
        return
    keys = sorted(CLIENT_V1 & asked.keys())
    instead = [key.removeprefix("client").lower() for key in keys]
    is_or_are = "is" if len(keys) == 1 else "are"
    yield Remark(
        f"{names(keys)} where {names(instead)} {is_or_are} expected"
        if keys
        else "`info` is missing in `params`",
        at=f"/params/{keys[0]}" if keys else "/params",
        on=step.exchange.seq,
        blame=step.exchange.sender,
        severity=Severity.ERROR,
        hint="send `info`, with `name` and `version`, and `capabilities` in version 2",
    )


def _remark(mistake: Mistake, step: Step) -> Remark:
    keys = names(mismatch.key for mismatch in mistake.mismatches)
    expected = [mismatch.instead for mismatch in mistake.mismatches if mismatch.instead]
    if expected:
        text = f"{keys} where {names(expected)} {'is' if len(expected) == 1 else 'are'} expected"
        hint = "rename it; the peer ignores the other name"
    else:
        one = len(mistake.mismatches) == 1
        text = (
            f"{keys} {'is not a field' if one else 'are not fields'} of this version's handshake;"
            f" the peer ignores {'it' if one else 'them'}"
        )
        hint = "remove it, unless it is there for peers of the other version"
    return Remark(
        text,
        at=mistake.first.path,
        on=step.frame.seq,
        blame=step.frame.sender,
        severity=severity(mistake) if expected else Severity.NOTE,
        hint=hint,
    )
