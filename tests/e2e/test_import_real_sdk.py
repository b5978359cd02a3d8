"""What an observer of the real Python SDK logs is what the proxy has recorded."""

import asyncio
import json
import os
import sys
import textwrap

import pytest
from support.processes import ACP_SPY

from acp_spy import Peer, load

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
            await self.client.session_update(
                session_id=session_id, update=acp.update_agent_message_text("it's \\"Allô\\" ✓")
            )
            await self.client.read_text_file(session_id=session_id, path="/a/file")
            return acp.PromptResponse(stop_reason="end_turn")

    asyncio.run(acp.run_agent(Agent()))
    """
)


async def converse(command, observer):
    import acp  # takes a second, which no other test is to wait for

    class Client(acp.Client):
        def on_connect(self, conn):
            pass

        async def session_update(self, session_id, update, **_):
            pass

        async def read_text_file(self, path, **_):
            raise acp.RequestError.resource_not_found(path)

    async with acp.spawn_agent_process(
        Client(), *command, env=dict(os.environ), observers=[observer]
    ) as (agent, _):
        await agent.initialize(protocol_version=1)
        await agent.new_session(cwd="/", mcp_servers=[])
        with pytest.raises(acp.RequestError):
            await agent.prompt(session_id="s-1", prompt=[acp.text_block("hello")])


def said(path):
    """Return what each peer sent; the order between the two is the observer's own affair."""
    frames = load(path).frames
    return {
        peer: [json.loads(frame.raw) for frame in frames if frame.sender is peer] for peer in Peer
    }


@pytest.mark.long
def test_the_log_of_an_observer_is_what_was_recorded(tmp_path):
    events = []
    capture = tmp_path / "run.jsonl"
    command = [*ACP_SPY, "-o", str(capture), "--", sys.executable, "-c", AGENT]
    asyncio.run(converse(command, events.append))
    recorded = said(capture)
    assert len(recorded[Peer.AGENT]) == 5
    ways = {
        "printed": [f"{event}\n" for event in events],
        "side by side": [f"DEBUG {event.direction} {event.message}\n" for event in events],
        "as JSON": [
            json.dumps({"direction": event.direction, "message": event.message}) + "\n"
            for event in events
        ],
    }
    for way, lines in ways.items():
        log = tmp_path / "observer.log"
        log.write_text("".join(lines))
        assert said(log) == recorded, way
