"""
MCP over ACP: which server a message is for, and which tool call it belongs to.

Three drafts are in use. In the first two the agent opens a connection to a server (`mcp/connect`,
by `acpId`, later `serverId`), and every message names the connection. In the current one there are
no connections: a message names the server, and an id for the MCP request. Conductors had it before
any draft: `_mcp/connect`, with the `url` of a server, which begins with `acp:`.

No draft says for which tool call the agent sends a request. The server was given to a session; of
the tool calls that are open there, it is the last one that names the MCP tool, else the last one.
"""

from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import (
    REMEMBERED,
    Conversation,
    Exchange,
    McpCall,
    McpConnection,
    McpServer,
    Step,
)
from acp_spy.wire.jsonrpc import CALL, Request, Response
from acp_spy.wire.values import fields, items, text

MESSAGE, CONNECT, DISCONNECT = "mcp/message", "mcp/connect", "mcp/disconnect"
MCP_METHODS = frozenset((MESSAGE, CONNECT, DISCONNECT))


def server_of(params: Any) -> str | None:
    """Return the server that `mcp/connect` or `mcp/message` names; drafts differ in the key."""
    named = fields(params)
    return text(named.get("serverId", named.get("acpId", named.get("url"))))


def declared_servers(params: Any) -> dict[str, str]:
    """Return the servers over ACP that a session is opened with: the name of each, by its id."""
    servers = map(fields, items(fields(params).get("mcpServers")))
    named = (
        (text(each.get("serverId", each.get("id", each.get("url")))), text(each.get("name")))
        for each in servers
        if each.get("type") == "acp" or (text(each.get("url")) or "").startswith("acp:")
    )
    return {ident: name or ident for ident, name in named if ident is not None}


def note_servers(state: Conversation, params: Any, session: str | None) -> None:
    """Take in the servers that a session is opened with; its name may come later."""
    for ident, name in declared_servers(params).items():
        remember(state.mcp.servers, ident, McpServer(ident, name, session), most=REMEMBERED)


def read_mcp(state: Conversation, method: str, params: Any) -> McpCall:
    """Return what an `mcp/…` message is about."""
    named = fields(params)
    connection = text(named.get("connectionId"))
    ident = server_of(named)
    if ident is None and connection and (opened := state.mcp.connections.get(connection)):
        ident = opened.server
    server = state.mcp.servers.get(ident or "")
    session = server.session if server else None
    name = server.name if server else ident or connection or ""
    if method != MESSAGE:
        return McpCall("", name, session=session)
    inner = text(named.get("method")) or ""
    request = text(named.get("requestId"))
    if ident and request and (asked := state.mcp.active.get((ident, request))) and asked.mcp:
        return McpCall(inner, name, asked.mcp.tool, session, asked.mcp.tool_call)
    if inner != "tools/call":
        return McpCall(inner, name, session=session)
    tool = text(fields(named.get("params")).get("name")) or ""
    return McpCall(inner, name, tool, session, _tool_call(state, session, tool))


def _tool_call(state: Conversation, session: str | None, tool: str) -> str | None:
    known = state.sessions.get(session or "")
    calls = [call for call in known.tool_calls.values() if call.is_open] if known else []
    calls.reverse()
    named = (call for call in calls if tool and (tool in call.title or tool in call.name))
    call = next(named, None) or next(iter(calls), None)
    return call.id if call else None


def note_mcp(state: Conversation, step: Step) -> None:
    """Take in a step of `mcp/…`: connections that open and close, requests that are open."""
    exchange, params = step.exchange, fields(step.body)
    is_result = isinstance(step.message, Response) and not step.message.failed
    if step.method == CONNECT and exchange and is_result:
        server, ident = server_of(exchange.params), text(params.get("connectionId"))
        if server is not None and ident is not None:
            opened = McpConnection(ident, server, step.frame.seq)
            remember(state.mcp.connections, ident, opened, most=REMEMBERED)
    elif step.method == DISCONNECT and isinstance(step.message, CALL):
        ident = text(params.get("connectionId"))
        if (known := state.mcp.connections.get(ident or "")) and known.closed_seq is None:
            known.closed_seq = step.frame.seq
    elif step.method == MESSAGE and exchange and (key := inner_id(exchange.params)):
        if isinstance(step.message, Request):
            remember(state.mcp.active, key, exchange, most=REMEMBERED)
        elif state.mcp.active.get(key) is exchange:
            del state.mcp.active[key]


def inner_id(params: Any) -> tuple[str, str] | None:
    """Return by what an MCP request of the current draft is known: its server and its own id."""
    named = fields(params)
    server, request = text(named.get("serverId")), text(named.get("requestId"))
    return (server, request) if server is not None and request is not None else None


def has_connection(exchange: Exchange | None, params: Any) -> bool:
    """Whether `mcp/message` is one of the older drafts: it names a connection."""
    named = exchange.params if exchange else params
    return isinstance(named, dict) and "connectionId" in named
