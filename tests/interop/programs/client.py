"""
A client on the Python SDK (PyPI `agent-client-protocol`): two turns, and what it noticed as JSON.

usage: client.py [--prompt TEXT]... CWD COMMAND [ARG]...

The first turn asks for work, and gives leave once for everything. The second asks to count, and is
cancelled at "three". With --prompt the turns are others. Files are really read and written;
terminals are not offered.
"""

# ruff: noqa: ASYNC240, ARG002 -- it waits for its own disk; the names of arguments are the SDK's

import argparse
import asyncio
import json
import os
from pathlib import Path

import quick_sdk  # noqa: F401 - before acp is loaded

# isort: split

import acp
from acp.schema import (
    AuthCapabilities,
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
)
from turn import COUNT, WORK, Turn

OFFERED = ClientCapabilities(
    fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
    terminal=False,  # said as it should be; the SDK leaves out whatever is false
    auth=AuthCapabilities(terminal=False),
)
INFO = Implementation(name="python-sdk-client", version="1.0")
TRANSPORT = {
    "limit": 64 << 20,  # a frame of a real agent is larger than the SDK's 64 kB now and then
    "shutdown_timeout": 30.0,  # real agents, and busy machines, take their time
    "stderr": None,  # nobody reads the SDK's pipe
}


class Client(acp.Client):
    def __init__(self):
        self.turn = Turn()
        self.enough = asyncio.Event()

    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **_):
        self.turn.hear(update.model_dump(by_alias=True, mode="json"))
        if self.turn.is_enough:
            self.enough.set()

    async def request_permission(self, tool_call, options, **_):
        self.turn.asked.append([tool_call.title, [option.kind for option in options]])
        chosen = next(option for option in options if option.kind == "allow_once")
        outcome = {"outcome": "selected", "optionId": chosen.option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})

    async def read_text_file(self, path, **_):
        self.turn.files.append(["read", path])
        try:
            return acp.ReadTextFileResponse(content=Path(path).read_text())
        except OSError as error:
            raise acp.RequestError.resource_not_found(path) from error

    async def write_text_file(self, path, content, **_):
        self.turn.files.append(["write", path])
        Path(path).write_text(content)
        return acp.WriteTextFileResponse()


async def take(client, agent, session, text):
    """Take a turn; if enough is heard meanwhile, cancel it."""
    turn = client.turn = Turn()
    client.enough.clear()
    answer = asyncio.ensure_future(agent.prompt(session_id=session, prompt=[acp.text_block(text)]))
    enough = asyncio.ensure_future(client.enough.wait())
    await asyncio.wait([answer, enough], return_when=asyncio.FIRST_COMPLETED)
    if not answer.done():
        await agent.cancel(session_id=session)
    enough.cancel()
    try:
        turn.stop = (await answer).stop_reason
    except acp.RequestError as error:
        turn.stop = [error.code, str(error), error.data]
    await asyncio.sleep(0.2)  # some agents have a word more to say
    return turn.output()


async def converse(prompts, cwd, command):
    client = Client()
    async with acp.spawn_agent_process(
        client, *command, env=dict(os.environ), cwd=cwd, transport_kwargs=TRANSPORT
    ) as (agent, process):
        hello = await agent.initialize(
            protocol_version=1, client_capabilities=OFFERED, client_info=INFO
        )
        session = (await agent.new_session(cwd=cwd, mcp_servers=[])).session_id
        turns = [await take(client, agent, session, text) for text in prompts]
    agent_info = hello.agent_info and f"{hello.agent_info.name} {hello.agent_info.version}"
    return {"agent": agent_info, "turns": turns, "status": process.returncode}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--prompt", action="append")
    parser.add_argument("cwd")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    outcome = asyncio.run(converse(given.prompt or (WORK, COUNT), given.cwd, given.command))
    print(json.dumps(outcome))
