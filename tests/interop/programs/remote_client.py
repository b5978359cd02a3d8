"""
A client on the Python SDK, over its remote transport: one turn each, and what it noticed as JSON.

usage: remote_client.py URL...

A turn that does not end is given up when stdin is closed.
"""

# ruff: noqa: ARG002 -- the names of arguments are the SDK's

import asyncio
import json
import logging
import os
import sys

import quick_sdk  # noqa: F401 - before acp is loaded

# isort: split
import acp
import httpx
from acp.http import create_http_stream
from acp.schema import ClientCapabilities, Implementation
from acp.ws import create_websocket_stream

logging.disable()


class Client(acp.Client):
    def __init__(self):
        self.noticed = {"updates": 0, "asked": 0, "stop": None}
        self.was_asked = asyncio.Event()

    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **_):
        self.noticed["updates"] += 1

    async def request_permission(self, options, **_):
        self.noticed["asked"] += 1
        self.was_asked.set()
        outcome = {"outcome": "selected", "optionId": options[0].option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})


class Http(httpx.AsyncClient):
    """What the SDK makes for itself; and it says when the stream of a session is open."""

    def __init__(self):
        self.has_session = asyncio.Event()
        hooks = {"response": [self.notice]}
        super().__init__(http2=True, timeout=httpx.Timeout(None), event_hooks=hooks)

    async def notice(self, response):
        if response.request.method == "GET" and "acp-session-id" in response.request.headers:
            self.has_session.set()


async def converse(url, is_over):
    http = Http() if url.startswith("http") else None
    stream = create_http_stream(url, client=http) if http else await create_websocket_stream(url)
    client = Client()
    agent = acp.connect_to_agent(client, stream)
    info = Implementation(name="python-sdk-remote-client", version="1.0")
    await agent.initialize(
        protocol_version=1, client_capabilities=ClientCapabilities(), client_info=info
    )
    session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
    if http:
        await http.has_session.wait()  # the SDK opens it beside this
    prompt = agent.prompt(session_id=session, prompt=[acp.text_block("hi")])
    turn = asyncio.ensure_future(prompt)
    await client.was_asked.wait()
    await asyncio.wait([turn, is_over], return_when=asyncio.FIRST_COMPLETED)
    client.noticed["stop"] = turn.result().stop_reason if turn.done() else "no response"
    await asyncio.sleep(0.1)
    await stream.close()
    return client.noticed


async def main(urls):
    is_over = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(await asyncio.gather(*(converse(url, is_over) for url in urls))), flush=True)
    os._exit(0)


asyncio.run(main(sys.argv[1:]))
