"""Unstable: each open MCP request to a server over ACP has its own id."""

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


def _call(ident: int, request: str) -> str:
    return (
        f'<- {{"jsonrpc": "2.0", "id": {ident}, "method": "mcp/message", "params":'
        f' {{"serverId": "m1", "requestId": "{request}", "method": "tools/list"}}}}'
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
    _call(0, "r1"),
)


@rule(
    code="LIF258",
    name="reused-mcp-request-id",
    severity=Severity.ERROR,
    summary="Two open MCP requests to one server have the same id",
    on=(f"request:{MESSAGE}",),
    covers=("UNS-14",),
    spec="https://agentclientprotocol.com/rfds/mcp-over-acp",
    bad=transcript(_OPENING, _call(1, "r1")),
    good=transcript(_OPENING, _call(1, "r2")),
)
def reused_mcp_request_id(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports `mcp/message` with the `serverId` and `requestId` of an MCP request that is still open.

    ## Why it matters

    Notifications of the server name only these two ids, so nobody knows to which of the requests
    they belong. The receiver rejects the second request with -32602.

    ## Use instead

    Use a new `requestId` for each request.
    """
    key = inner_id(step.body)
    if key is not None and (first := step.state.mcp.active.get(key)):
        yield Remark(
            f"`requestId` is `{key[1][:80]}`, which an open request to this server has;"
            " expected a new one",
            at="/params/requestId",
            see=first.seq,
            hint="use a new `requestId` for each request",
        )
