"""Unstable: messages of older drafts of MCP over ACP go through an open connection."""

from collections.abc import Iterator

from acp_spy.conversation.mcp import DISCONNECT, MESSAGE
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.wire.jsonrpc import CALL
from acp_spy.wire.values import fields, text

_OPENING = transcript(
    version_1('"mcpCapabilities": {"http": true, "acp": true}'),
    request_line(
        1,
        "session/new",
        '"cwd": "/home/dev/project",'
        ' "mcpServers": [{"type": "acp", "name": "docs", "serverId": "m1"}]',
    ),
    '<- {"jsonrpc": "2.0", "id": 0, "method": "mcp/connect", "params": {"serverId": "m1"}}',
    '-> {"jsonrpc": "2.0", "id": 0, "result": {"connectionId": "conn-1"}}',
    result_line(1, '"sessionId": "s1"'),
)
_CALL = (
    '<- {"jsonrpc": "2.0", "id": 1, "method": "mcp/message", "params":'
    ' {"connectionId": "conn-1", "method": "tools/list"}}'
)


@rule(
    code="LIF256",
    name="mcp-connection-not-open",
    severity=Severity.ERROR,
    summary="An MCP message uses a connection that is not open",
    on=tuple(
        f"{kind}:{name}" for name in (MESSAGE, DISCONNECT) for kind in ("request", "notification")
    ),
    covers=("UNS-15",),
    spec="https://agentclientprotocol.com/rfds/mcp-over-acp",
    bad=transcript(_OPENING, _CALL.replace("conn-1", "m1")),
    good=transcript(_OPENING, _CALL),
)
def mcp_connection_not_open(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `mcp/message` and `mcp/disconnect` with a `connectionId` that no response to
    `mcp/connect` has, or that was disconnected before. Older drafts of MCP over ACP have
    connections; the current draft does not.

    ## Why it matters

    The receiver cannot know the server, and rejects the message.

    ## Use instead

    Send `mcp/connect` first, and use the `connectionId` of its response until `mcp/disconnect`.
    """
    ident = text(fields(step.body).get("connectionId"))
    if ident is None or not isinstance(step.message, CALL):
        return
    connection = step.state.mcp.connections.get(ident)
    if connection is None:
        yield Remark(
            f"`connectionId` is `{ident[:80]}`; expected one that `mcp/connect` returned",
            at="/params/connectionId",
            hint="send `mcp/connect`, and use the `connectionId` of its response",
        )
    elif connection.closed_seq is not None:
        yield Remark(
            f"the connection `{ident[:80]}` was disconnected; expected an open one",
            at="/params/connectionId",
            see=connection.closed_seq,
            hint="send `mcp/connect` again",
        )
