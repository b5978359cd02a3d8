"""
The official MCP client, connected to our server in this process by streams in memory.

The package is loaded when it is needed: it takes a second, and every worker loads every test.
"""

import json
from typing import Any

from acp_spy.mcp_server.captures import Captures


class Refused(Exception):  # noqa: N818 - it is an answer
    """A tool answered with an error; its text is what the agent reads."""


def listed(captures: Captures, *, allow_run: bool = False) -> dict[str, Any]:
    """Return the tools as a client sees them, by name."""

    async def ask(client):
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    return _with_client(ask, captures, allow_run)


def answers(
    captures: Captures,
    *calls: tuple[str, dict],
    allow_run: bool = False,
    mode: str = "legacy",
) -> list[str]:
    """Call tools one after the other; return their texts, or raise `Refused`."""

    async def ask(client):
        texts = []
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            (content,) = result.content
            if result.is_error:
                raise Refused(content.text)
            texts.append(content.text)
        return texts

    return _with_client(ask, captures, allow_run, mode)


def answer(captures: Captures, tool: str, /, *, allow_run: bool = False, **arguments) -> Any:
    """Call one tool; return the JSON value of its answer."""
    (text,) = answers(captures, (tool, arguments), allow_run=allow_run)
    return json.loads(text)


def _with_client(ask, captures, allow_run, mode="legacy"):
    """Ask; in the mode `legacy`, handshake and streams are those of today's clients."""
    import trio
    from mcp import Client

    from acp_spy.mcp_server.serve import make_server

    async def main():
        async with Client(make_server(captures, allow_run=allow_run), mode=mode) as client:
            try:
                return await ask(client)
            except Refused as refused:
                return refused

    result = trio.run(main)
    if isinstance(result, Refused):
        raise result
    return result
