"""Unstable: an MCP server over ACP sends notifications only for a request that is open."""

from collections.abc import Iterator

from acp_spy.conversation.mcp import MESSAGE, inner_id
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"mcpCapabilities": {"http": true, "acp": true}'),
    request_line(
        1,
        "session/new",
        '"cwd": "/home/dev/project",'
        ' "mcpServers": [{"type": "acp", "name": "docs", "serverId": "m1"}]',
    ),
    result_line(1, '"sessionId": "s1"'),
    '<- {"jsonrpc": "2.0", "id": 0, "method": "mcp/message", "params":'
    ' {"serverId": "m1", "requestId": "r1", "method": "tools/call",'
    ' "params": {"name": "search", "arguments": {}}}}',
)
_PROGRESS = (
    '-> {"jsonrpc": "2.0", "method": "mcp/message", "params":'
    ' {"serverId": "m1", "requestId": "r1", "method": "notifications/progress",'
    ' "params": {"progressToken": "r1", "progress": 1}}}'
)


@rule(
    code="LIF257",
    name="unknown-mcp-request",
    severity=Severity.WARNING,
    summary="An MCP notification belongs to no open MCP request",
    on=(f"notification:{MESSAGE}",),
    covers=("UNS-14",),
    spec="https://agentclientprotocol.com/rfds/mcp-over-acp",
    bad=transcript(_OPENING, _PROGRESS.replace('"requestId": "r1"', '"requestId": "r2"')),
    good=transcript(_OPENING, _PROGRESS),
)
def unknown_mcp_request(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a notification `mcp/message` whose `serverId` and `requestId` are not those of an MCP
    request that is open.

    ## Why it matters

    A notification belongs to a request. The receiver drops it if the request is unknown or has been
    answered.

    ## Use instead

    Use the `requestId` of the request, and send all notifications before its response.
    """
    key = inner_id(step.body)
    if key is not None and key not in step.state.mcp.active:
        yield Remark(
            f"`requestId` is `{key[1][:80]}`; expected that of an open request to"
            f" the server `{key[0][:80]}`",
            at="/params/requestId",
            hint="send notifications of a request before its response",
        )
