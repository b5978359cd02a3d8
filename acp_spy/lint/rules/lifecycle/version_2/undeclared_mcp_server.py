"""Unstable: MCP messages go to servers that the client listed."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.mcp import CONNECT, MESSAGE, declared_servers, server_of
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.protocol.capability_gates import V1, V2, is_advertised
from acp_spy.protocol.names import SETUPS
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

_OPENING = transcript(
    version_1('"mcpCapabilities": {"http": true, "acp": true}'),
    request_line(
        1,
        "session/new",
        '"cwd": "/home/dev/project",'
        ' "mcpServers": [{"type": "acp", "name": "docs", "serverId": "m1"}]',
    ),
    result_line(1, '"sessionId": "s1"'),
)
_CALL = (
    '<- {"jsonrpc": "2.0", "id": 0, "method": "mcp/message", "params":'
    ' {"serverId": "m1", "requestId": "r1", "method": "tools/list"}}'
)


@rule(
    code="LIF253",
    name="undeclared-mcp-server",
    severity=Severity.ERROR,
    summary="An MCP message names a server that the client did not list",
    on=(*(f"request:{method}" for method in SETUPS), f"request:{MESSAGE}", f"request:{CONNECT}"),
    covers=("UNS-14",),
    spec="https://agentclientprotocol.com/rfds/mcp-over-acp",
    bad=transcript(_OPENING, _CALL.replace("m1", "docs")),
    good=transcript(_OPENING, _CALL),
)
def undeclared_mcp_server(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `mcp/message` with a `serverId` that the client did not list when it opened a session.
    The id is not the name of the server. In older drafts `mcp/connect` has the id, as `serverId` or
    `acpId`.

    ## Why it matters

    The client rejects the message, and the tool call fails.

    ## Use instead

    Use the `serverId` of a server with `"type": "acp"`.
    """
    if step.method not in (MESSAGE, CONNECT):
        for listed in declared_servers(step.body):
            remember(memory, listed, True)
        return
    gate = (V2 if step.state.is_draft else V1).methods[MESSAGE]
    can = is_advertised(step.state.capabilities.get(Peer.AGENT), gate)
    ident, key = server_of(step.body), "acpId" if "acpId" in fields(step.body) else "serverId"
    if can and ident is not None and ident not in memory:
        yield Remark(
            f"`{key}` is `{ident[:80]}`; expected one that the client listed",
            at=f"/params/{key}",
            hint='use the id of a server with `"type": "acp"`',
        )
