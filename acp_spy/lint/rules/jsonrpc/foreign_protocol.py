"""The wire speaks ACP, and no other protocol."""

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
    legacy.MCP: "an MCP client or server is connected where an ACP peer should be",
    legacy.A2A: "an A2A client or server is connected where an ACP peer should be",
    legacy.LSP: "a language client or server is connected where an ACP peer should be",
    legacy.CODEX: "start the agent's ACP adapter (codex-acp), not `codex app-server`",
    STREAM_JSON: "start the agent's ACP adapter (claude-agent-acp), not `claude -p`",
}


@rule(
    code="RPC020",
    name="foreign-protocol",
    severity=Severity.ERROR,
    summary="Another protocol is spoken on the wire",
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
    MCP, LSP, A2A, the Codex app-server and Claude Code's stream-json all write JSON by lines or
    nearly so, and MCP and LSP have an `initialize` as well. A program that speaks one of them gets
    as far as its second message.

    Look at the command that is started, and at which end of which connection it belongs. Told once
    for each protocol: what else is wrong with such messages follows from it.
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
        yield Remark(f"{seen} is {protocol}, not ACP", hint=_HINTS[protocol])
