"""MCP servers use only transports that the agent advertised."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import (
    advert,
    entries,
    gates_of,
    has_mismatch_at,
    lack,
)
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.names import SETUPS


@rule(
    code="CAP004",
    name="unadvertised-mcp-transport",
    severity=Severity.ERROR,
    summary="An MCP server uses a transport that the agent did not advertise",
    on=tuple(f"request:{method}" for method in SETUPS),
    covers=("SES-22", "UNS-14"),
    spec="https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers",
    bad=handshake()
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"type": "sse", "name": "docs", "url": "https://docs.example/mcp", "headers": []}]}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
""",
    good=handshake(agent={"mcpCapabilities": {"http": True, "sse": True}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"type": "sse", "name": "docs", "url": "https://docs.example/mcp", "headers": []}]}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
""",
)
def unadvertised_mcp_transport(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports MCP servers of type `http`, `sse` or `acp` in a session request if the agent does not
    have that transport in `mcpCapabilities`. In version 1 every agent supports stdio; in version 2
    stdio must be advertised as well.

    ## Why it matters
    The agent refuses the whole session, or starts it without the server, and its tools are missing.

    ## Use instead
    Omit such servers and inform the user, or offer them over a transport that the agent supports.
    """
    gates = gates_of(step.state.version).mcp_servers
    for index, kind in entries(step.body, "mcpServers"):
        gate, place = gates.get(kind), f"/params/mcpServers/{index}/type"
        if gate is None or has_mismatch_at(facts, place):
            continue
        if why := lack(step.state, gate):
            yield Remark(
                f"an MCP server of type `{kind}` was listed, but {why}",
                at=place,
                hint=f"list it only for an agent with {advert(gate)}",
            )
