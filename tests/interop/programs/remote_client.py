"""
A client on the Python SDK, over its remote transport: one turn, and what it noticed as JSON.

usage: remote_client.py URL
"""

# ruff: noqa: ARG002 -- the names of arguments are the SDK's

import asyncio
import json
import logging
import os
import sys

import acp
from acp.http import create_http_stream
from acp.schema import ClientCapabilities, Implementation
from acp.ws import create_websocket_stream

logging.disable()
NOTICED = {"updates": 0, "asked": 0, "stop": None}


class Client(acp.Client):
    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **_):
        NOTICED["updates"] += 1

    async def request_permission(self, options, **_):
        NOTICED["asked"] += 1
        outcome = {"outcome": "selected", "optionId": options[0].option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})


async def main(url):
    is_http = url.startswith("http")
    stream = create_http_stream(url) if is_http else await create_websocket_stream(url)
    agent = acp.connect_to_agent(Client(), stream)
    info = Implementation(name="python-sdk-remote-client", version="1.0")
    await agent.initialize(
        protocol_version=1, client_capabilities=ClientCapabilities(), client_info=info
    )
    session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
    await asyncio.sleep(0.2)  # the SDK opens the session's stream beside this
    try:
        patience = float(os.environ.get("PATIENCE", "20"))
        turn = agent.prompt(session_id=session, prompt=[acp.text_block("hi")])
        NOTICED["stop"] = (await asyncio.wait_for(turn, patience)).stop_reason
    except TimeoutError:
        NOTICED["stop"] = "no response"
    await asyncio.sleep(0.1)
    await stream.close()
    print(json.dumps(NOTICED), flush=True)
    os._exit(0)


asyncio.run(main(sys.argv[1]))
