"""Gists of MCP over ACP: the MCP message inside, whatever the draft."""

from typing import Any

import msgspec

from acp_spy.conversation.mcp import CONNECT, DISCONNECT, has_connection
from acp_spy.conversation.state import McpCall, Step
from acp_spy.units import counted
from acp_spy.view.gists.words import as_sent, content, joined, names, word
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields, items


def mcp_gist(step: Step, mcp: McpCall) -> str:
    """Return what an `mcp/…` message says, after the server that it is for."""
    body = fields(step.body)
    if isinstance(step.message, Response):
        return _outcome(step, body)
    if step.method in (CONNECT, DISCONNECT):
        return mcp.server
    params = fields(body.get("params"))
    if mcp.method == "tools/call":
        said = joined(mcp.tool, _arguments(params.get("arguments")), by=" ")
    else:
        said = joined(*(f"{name}={word(value)}" for name, value in params.items() if word(value)))
    return joined(mcp.server, said, by=": ")


def is_mcp_error(step: Step) -> bool:
    """Whether a result says that the MCP request, or the tool, has failed."""
    body = fields(step.body)
    if has_connection(step.exchange, None):
        return body.get("isError") is True
    return ("error" in body and "result" not in body) or (
        fields(body.get("result")).get("isError") is True
    )


def _arguments(value: Any) -> str:
    return as_sent(msgspec.json.encode(value)) if value else ""


def _outcome(step: Step, body: dict[str, Any]) -> str:
    assert isinstance(step.message, Response)
    if step.method == CONNECT:
        return joined("connection", word(body.get("connectionId")), by=" ")
    if step.method == DISCONNECT:
        return "ok"
    if not has_connection(step.exchange, None):
        if "error" in body and "result" not in body:
            error = fields(body["error"])
            return joined("error", word(error.get("code")), word(error.get("message")), by=" ")
        body = fields(body.get("result"))
    if "tools" in body:
        tools = items(body["tools"])
        return joined(counted(len(tools), "tool"), names(tools, "name"), by=": ")
    failed = "failed" if body.get("isError") is True else ""
    return joined(failed, content(body.get("content")), by=": ") or as_sent(step.message.result)
