"""
A real ACP client and a real ACP agent (PyPI `agent-client-protocol`), with and without us.

The client spawns the agent by a command line, as editors do; only that line differs.
"""

import asyncio
import os
import sys
import textwrap

import acp
import pytest
from support.processes import ACP_SPY

from acp_spy import Peer, load
from acp_spy.wire.jsonrpc import Request, Response, read_message

AGENT = textwrap.dedent(
    """
    import asyncio
    import acp

    class Agent(acp.Agent):
        def on_connect(self, conn):
            self.client = conn

        async def initialize(self, protocol_version, **_):
            return acp.InitializeResponse(protocol_version=protocol_version)

        async def new_session(self, cwd, **_):
            return acp.NewSessionResponse(session_id="s-1")

        async def prompt(self, prompt, session_id, **_):
            for word in prompt[0].text.split():
                chunk = acp.update_agent_message_text(word)
                await self.client.session_update(session_id=session_id, update=chunk)
            text = await self.client.read_text_file(session_id=session_id, path="/a/file")
            chunk = acp.update_agent_message_text(text.content)
            await self.client.session_update(session_id=session_id, update=chunk)
            return acp.PromptResponse(stop_reason="end_turn")

    asyncio.run(acp.run_agent(Agent()))
    """
)


class Client(acp.Client):
    def __init__(self):
        self.heard = []

    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **_):
        self.heard.append((session_id, update.content.text))

    async def read_text_file(self, path, **_):
        return acp.ReadTextFileResponse(content=f"content of {path}: " + "é€😀" * 40_000)


async def converse(command):
    client = Client()
    async with acp.spawn_agent_process(client, *command, env=dict(os.environ)) as (agent, process):
        answers = [await agent.initialize(protocol_version=1)]
        answers.append(await agent.new_session(cwd="/", mcp_servers=[]))
        prompt = [acp.text_block("hello out there")]
        answers.append(await agent.prompt(session_id="s-1", prompt=prompt))
    return [answer.model_dump() for answer in answers], client.heard, process.returncode


@pytest.mark.filterwarnings("default")  # the SDK's own, not ours to mend
def test_the_sdks_client_and_agent_notice_no_difference(tmp_path):
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    capture = tmp_path / "run.jsonl"
    agent = [sys.executable, str(script)]
    direct = asyncio.run(converse(agent))
    proxied = asyncio.run(converse([*ACP_SPY, "-o", str(capture), "--", *agent]))
    assert proxied == direct
    answers, heard, status = proxied
    assert answers[-1]["stop_reason"] == "end_turn"
    assert [text for _, text in heard][:3] == ["hello", "out", "there"]
    assert status == 0

    frames = load(capture).frames
    messages = [(frame.sender, read_message(frame.payload)) for frame in frames]
    assert [m.method for sender, m in messages if isinstance(m, Request)] == [
        "initialize",
        "session/new",
        "session/prompt",
        "fs/read_text_file",
    ]
    answered = [sender for sender, m in messages if isinstance(m, Response)]
    assert answered == [Peer.AGENT, Peer.AGENT, Peer.CLIENT, Peer.AGENT]
