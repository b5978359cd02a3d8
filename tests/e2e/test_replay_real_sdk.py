"""
The Python SDK (PyPI `agent-client-protocol`) on the live side: its client against a mock agent, and
its agent against a mock client. The capture is made by the proxy, from the two of them together.
"""

import asyncio
import os
import subprocess
import sys
import textwrap

import acp
import pytest
from support.processes import ACP_SPY, DEADLINE

AGENT = textwrap.dedent(
    """
    import asyncio, sys, uuid
    import acp
    from acp.schema import PermissionOption, ToolCallUpdate

    LEAVE = PermissionOption(option_id=f"yes-{uuid.uuid4()}", name="Allow", kind="allow_once")

    class Agent(acp.Agent):
        def on_connect(self, conn):
            self.client = conn

        async def initialize(self, protocol_version, **_):
            return acp.InitializeResponse(protocol_version=protocol_version)

        async def new_session(self, cwd, **_):
            self.cwd = cwd
            return acp.NewSessionResponse(session_id=str(uuid.uuid4()))

        async def prompt(self, prompt, session_id, **_):
            for word in prompt[0].text.split() * int(sys.argv[1]):
                chunk = acp.update_agent_message_text(word)
                await self.client.session_update(session_id=session_id, update=chunk)
            call = ToolCallUpdate(tool_call_id=str(uuid.uuid4()))
            leave = await self.client.request_permission(
                session_id=session_id, tool_call=call, options=[LEAVE]
            )
            assert leave.outcome.option_id == LEAVE.option_id, leave
            path = f"{self.cwd}/notes.txt"
            text = await self.client.read_text_file(session_id=session_id, path=path)
            chunk = acp.update_agent_message_text(text.content)
            await self.client.session_update(session_id=session_id, update=chunk)
            return acp.PromptResponse(stop_reason=sys.argv[2])

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

    async def request_permission(self, options, **_):
        outcome = {"outcome": "selected", "optionId": options[0].option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})

    async def read_text_file(self, path, **_):
        self.heard.append(("read", path))
        return acp.ReadTextFileResponse(content="buy milk")


async def converse(command, cwd, prompts=("hello there",)):
    client = Client()
    answers = []
    async with acp.spawn_agent_process(client, *command, env=dict(os.environ)) as (agent, process):
        await agent.initialize(protocol_version=1)
        session = (await agent.new_session(cwd=cwd, mcp_servers=[])).session_id
        for text in prompts:
            try:
                done = await agent.prompt(session_id=session, prompt=[acp.text_block(text)])
                answers.append(done.stop_reason)
            except acp.RequestError as error:
                answers.append((error.code, error.data))
    heard = [(who == session, text) if who != "read" else (who, text) for who, text in client.heard]
    return answers, heard, process.returncode


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Record the SDK's client with the SDK's agent; return the capture and the agent's script."""
    folder = tmp_path_factory.mktemp("sdk")
    script, capture = folder / "agent.py", folder / "run.jsonl"
    script.write_text(AGENT)
    agent = [sys.executable, str(script), "1", "end_turn"]
    command = [*ACP_SPY, "-o", str(capture), "--", *agent]
    return capture, script, asyncio.run(converse(command, "/project"))


pytestmark = pytest.mark.filterwarnings("default")  # the SDK's own, not ours to mend


def test_the_sdks_client_cannot_tell_the_mock_agent_from_the_real_one(recorded):
    capture, _, (answers, heard, status) = recorded
    mock = [*ACP_SPY, "replay", "agent", str(capture), "--match", "params"]
    assert asyncio.run(converse(mock, "/project")) == (answers, heard, status)
    elsewhere = [(who, text.replace("/project", "/else/where")) for who, text in heard]
    assert asyncio.run(converse(mock, "/else/where")) == (answers, elsewhere, status)


def test_the_sdks_client_is_told_when_it_asks_for_more_than_was_recorded(recorded):
    capture, _, _ = recorded
    mock = [*ACP_SPY, "replay", "agent", str(capture)]
    answers, _, status = asyncio.run(converse(mock, "/project", ["hello there", "and more"]))
    assert answers == [
        "end_turn",
        (-32603, {"expected": None, "frame": None, "capture": "run.jsonl"}),
    ]
    assert status == 1


def play(recorded, *arguments):
    capture, script, _ = recorded
    agent = [sys.executable, str(script), *arguments]
    command = [*ACP_SPY, "replay", "client", str(capture), "--", *agent]
    done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False)
    return done.stderr.decode(), done.returncode


def test_the_sdks_agent_is_driven_by_the_mock_client(recorded):
    """Its session, tool call and option have other ids in every run; it may stream more, too."""
    for chunks in "1", "3":
        err, status = play(recorded, chunks, "end_turn")
        assert status == 0, err
        assert err.endswith("acp-spy: no divergence from run.jsonl\n")


def test_an_sdks_agent_that_has_changed_is_told_apart(recorded):
    err, status = play(recorded, "1", "refusal")
    assert status == 1
    assert '- /result/stopReason: "end_turn"\n            + /result/stopReason: "refusal"\n' in err
