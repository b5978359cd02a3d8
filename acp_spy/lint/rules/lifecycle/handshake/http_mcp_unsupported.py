"""Agents should support MCP servers over HTTP."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_by_version_1
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZE, transcript
from acp_spy.wire.values import fields


@rule(
    code="LIF009",
    name="http-mcp-unsupported",
    severity=Severity.NOTE,
    summary="The agent does not support MCP servers over HTTP",
    on=("result:initialize",),
    by_default=False,
    covers=("SES-21",),
    spec="https://agentclientprotocol.com/protocol/session-setup#mcp-servers",
    bad=transcript(
        INITIALIZE,
        """
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": false, "sse": false}}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": []}}
        """,
    ),
    good=HANDSHAKE,
)
def http_mcp_unsupported(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports agents that do not advertise `mcpCapabilities.http`.

    ## Why it matters
    Many MCP servers are available only over HTTP. A client cannot pass such a server to this agent.

    ## Use instead
    Support MCP servers over HTTP and advertise `mcpCapabilities.http`.
    """
    capabilities = fields(step.body).get("agentCapabilities")
    if not is_by_version_1(facts) or not isinstance(capabilities, dict):
        return
    mcp = capabilities.get("mcpCapabilities", {})
    if isinstance(mcp, dict) and mcp.get("http", False) is False:
        yield Remark(
            "`mcpCapabilities.http` is not advertised; new agents should support MCP over HTTP",
            at="/result/agentCapabilities",
            hint="support MCP servers over HTTP and send `mcpCapabilities: {http: true}`",
        )
