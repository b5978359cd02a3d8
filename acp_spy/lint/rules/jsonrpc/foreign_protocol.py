"""The peers use ACP, not another protocol."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.other_protocols import STREAM_JSON, foreign_protocol_in, protocol_of_method
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.unusual import KNOWN
from acp_spy.protocol import foreign_methods as legacy
from acp_spy.wire.jsonrpc import Notification, Request

_HINTS = {
    legacy.MCP: "connect an ACP client or agent instead of an MCP client or server",
    legacy.A2A: "connect an ACP client or agent instead of an A2A client or server",
    legacy.LSP: "connect an ACP client or agent instead of a language client or server",
    legacy.CODEX: "start the agent's ACP adapter (codex-acp), not `codex app-server`",
    STREAM_JSON: "start the agent's ACP adapter (claude-agent-acp), not `claude -p`",
}


@rule(
    code="RPC020",
    name="foreign-protocol",
    severity=Severity.ERROR,
    summary="A peer uses another protocol",
    on=("unusual", "line:foreign"),
    spec="https://agentclientprotocol.com/protocol/overview",
    bad="""
        -> {"jsonrpc": "2.0", "method": "notifications/initialized"}
        -> {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/list"}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
)
def foreign_protocol(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages of MCP, LSP, A2A, the Codex app-server and Claude Code's stream-json, once per
    protocol.

    ## Why it matters

    All of these send JSON on lines or nearly so, and MCP and LSP also have an `initialize`. A
    program that uses one of them fails at its second message. The other errors of these messages
    follow from this one.

    ## Use instead

    Check the command that is started, and which end of which connection it belongs to.
    """
    if not facts.is_unusual or step.method in facts.dialect_words:
        return
    seen, protocol = "", ""
    if isinstance(step.message, Request | Notification) and step.method not in KNOWN:
        seen, protocol = f"`{step.method}`", protocol_of_method(step.method)
    for line in facts.lines:
        if line.kind == "foreign":
            seen, protocol = f'`"type": "{line.value["type"]}"`', foreign_protocol_in(line.value)
    if protocol and protocol not in memory:
        memory[protocol] = True
        yield Remark(f"{seen} belongs to {protocol}, not to ACP", hint=_HINTS[protocol])
