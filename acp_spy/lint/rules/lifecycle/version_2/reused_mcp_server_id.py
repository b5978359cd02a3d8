"""Unstable: each MCP server over ACP has an id of its own."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import SETUPS
from acp_spy.lint.rules.lifecycle.version_2._examples import ask, transcript, version_1
from acp_spy.wire.values import fields, items

_OPENING = version_1('"mcpCapabilities": {"http": true, "acp": true}')


def _setup(first: str, second: str) -> str:
    servers = ", ".join(
        f'{{"type": "acp", "name": "{name}", "serverId": "{ident}"}}'
        for name, ident in (("docs", first), ("tests", second))
    )
    return ask(1, "session/new", f'"cwd": "/home/dev/project", "mcpServers": [{servers}]')


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
    An MCP server of type `acp` is reached by its `serverId` alone, from any session of the
    connection. With one id for two servers, half of the calls reach the wrong one.

    Make each id unique on the connection. The same server may be listed again under its own id.
    """
    for index, entry in enumerate(items(fields(step.body).get("mcpServers"))):
        server = fields(entry)
        ident, name = server.get("serverId"), server.get("name")
        if server.get("type") != "acp" or not isinstance(ident, str) or not isinstance(name, str):
            continue
        seq, known = memory.get(ident, (step.frame.seq, name))
        if known != name:
            yield Remark(
                f"`serverId` `{ident[:80]}` is that of `{known[:80]}`, and now of `{name[:80]}`;"
                " an id of its own was expected",
                at=f"/params/mcpServers/{index}/serverId",
                see=seq if seq != step.frame.seq else None,
                hint="make each `serverId` unique on the connection",
            )
        remember(memory, ident, (seq, known))
