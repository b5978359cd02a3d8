"""The protocol version is an integer."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.protocol.mismatch import MismatchKind

_DATE = re.compile(r'the string "[0-9]{4}-[0-9]{2}')


@rule(
    code="SCH013",
    name="invalid-protocol-version",
    severity=Severity.ERROR,
    summary="The protocol version is not an integer",
    on=("mismatch",),
    covers=("INI-02", "INI-07"),
    spec="https://agentclientprotocol.com/protocol/initialization#version-negotiation",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
)
def invalid_protocol_version(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `protocolVersion` that is not an integer from 0 to 65535. The current version is `1`;
    a date is MCP's format.

    ## Why it matters
    Strict peers refuse the handshake. Some accept `"1"` or `true` as 1, and then the connection
    fails with the next peer. Readers that decode to an integer refuse even `1.0`.

    ## Use instead
    Send `"protocolVersion": 1`.
    """
    for mistake in facts.mistakes_of("invalid-protocol-version"):
        mismatch = mistake.first
        if mismatch.kind is MismatchKind.MISSING_KEY:
            text = "`protocolVersion` is missing; expected an integer"
        else:
            text = f"`protocolVersion` is {mismatch.got}; expected an integer such as `1`"
        is_date = _DATE.match(mismatch.got) is not None
        yield Remark(
            text,
            at=mismatch.path,
            hint="send `1`; dates are MCP versions" if is_date else "send `1`",
        )
