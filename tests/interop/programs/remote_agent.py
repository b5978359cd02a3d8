"""A remote agent on the Python SDK, over HTTP and WebSocket; prints its URL."""

# ruff: noqa: ARG002 -- the names of arguments are the SDK's

import asyncio
import socket

import quick_sdk  # noqa: F401 - before acp is loaded

# isort: split
import acp
import hypercorn.asyncio
import hypercorn.config
from acp.http.asgi import create_asgi_app
from acp.schema import Implementation, PermissionOption, ToolCallUpdate


class Agent(acp.Agent):
    def __init__(self, connection):
        self.client = connection

    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, **_):
        info = Implementation(name="python-sdk-remote", version="1.0")
        return acp.InitializeResponse(protocol_version=1, agent_info=info)

    async def new_session(self, cwd, **_):
        return acp.NewSessionResponse(session_id="s1")

    async def prompt(self, session_id, **_):
        async def update(update):
            await self.client.session_update(session_id=session_id, update=update)

        await update(acp.update_agent_message_text("hello"))
        await update(acp.start_tool_call("t1", "Read", status="pending"))
        option = PermissionOption(option_id="a", name="Allow", kind="allow_once")
        call = ToolCallUpdate(tool_call_id="t1", title="Read")
        await self.client.request_permission(
            session_id=session_id, tool_call=call, options=[option]
        )
        await update(acp.update_tool_call("t1", status="completed"))
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, **_):
        pass


async def main():
    listening = socket.create_server(
        ("127.0.0.1", 0)
    )  # who connects early is served when it can be
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listening.fileno()}"]
    config.loglevel = "error"
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/acp", flush=True)
    await hypercorn.asyncio.serve(create_asgi_app(Agent), config)


asyncio.run(main())
