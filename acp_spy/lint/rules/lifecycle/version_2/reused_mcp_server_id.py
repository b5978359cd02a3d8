"""Unstable: each MCP server over ACP has a unique id."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import request_line, transcript, version_1
from acp_spy.protocol.names import SETUPS
from acp_spy.wire.values import fields, items

_OPENING = version_1('"mcpCapabilities": {"http": true, "acp": true}')


def _setup(first: str, second: str) -> str:
    servers = ", ".join(
        f'{{"type": "acp", "name": "{name}", "serverId": "{ident}"}}'
        for name, ident in (("docs", first), ("tests", second))
    )
    return request_line(1, "session/new", f'"cwd": "/home/dev/project", "mcpServers": [{servers}]')


@rule(
    code="LIF252",
    name="reused-mcp-server-id",
    severity=Severity.ERROR,
    summary="Two MCP servers over ACP have the same id",
    on=tuple(f"request:{method}" for method in SETUPS),
    covers=("UNS-14",),
    spec="https://agentclientprotocol.com/rfds/mcp-over-acp",
    bad=transcript(_OPENING, _setup("m1", "m1")),
    good=transcript(_OPENING, _setup("m1", "m2")),
)
def reused_mcp_server_id(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports two MCP servers of type `acp` with different names and the same `serverId`. The id must
    be unique on the connection. The same server may be listed again.

    ## Why it matters

    The agent addresses a server only by its id. Some calls reach the wrong server.

    ## Use instead

    Use a unique `serverId` for each server.
    """
    for index, entry in enumerate(items(fields(step.body).get("mcpServers"))):
        server = fields(entry)
        ident, name = server.get("serverId"), server.get("name")
        if server.get("type") != "acp" or not isinstance(ident, str) or not isinstance(name, str):
            continue
        seq, known = memory.get(ident, (step.frame.seq, name))
        if known != name:
            yield Remark(
                f"`serverId` of `{name[:80]}` is `{ident[:80]}`, which `{known[:80]}` uses;"
                " expected a unique id",
                at=f"/params/mcpServers/{index}/serverId",
                see=seq if seq != step.frame.seq else None,
                hint="use a unique `serverId` for each server",
            )
        remember(memory, ident, (seq, known))
