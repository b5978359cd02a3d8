"""
An agent on the Python SDK (PyPI `agent-client-protocol`) that needs no model.

usage: agent.py [REPEAT [STOP_REASON]]

Asked to count, it counts until it is cancelled. Asked for anything else it repeats the words, REPEAT
times, makes a tool call with leave, reads notes.txt through the client, and says what is in there.
"""

import asyncio
import sys
import uuid

import quick_sdk  # noqa: F401 - before acp is loaded

# isort: split

import acp
from acp.schema import AgentCapabilities, Implementation, PermissionOption

REPEAT = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STOP_REASON = sys.argv[2] if len(sys.argv) > 2 else "end_turn"
# Real agents make up their names anew in every run.
YES, NO = f"yes-{uuid.uuid4()}", f"no-{uuid.uuid4()}"
OPTIONS = [
    PermissionOption(option_id=YES, name="Allow", kind="allow_once"),
    PermissionOption(option_id=NO, name="Reject", kind="reject_once"),
]
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Agent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="python-sdk-agent", version="1.0"),
        )

    async def new_session(self, cwd, **_):
        self.cwd = cwd
        return acp.NewSessionResponse(session_id=str(uuid.uuid4()))

    async def cancel(self, **_):
        self.cancelled.set()

    async def prompt(self, prompt, session_id, **_):
        self.session = session_id
        self.cancelled.clear()
        words = prompt[0].text.split()
        return await (self.count() if "count" in words else self.work(words))

    async def update(self, update):
        await self.client.session_update(session_id=self.session, update=update)

    async def say(self, text):
        await self.update(acp.update_agent_message_text(text))

    async def count(self):
        for number in NUMBERS * 60:
            await self.say(f"{number} ")
            try:
                await asyncio.wait_for(self.cancelled.wait(), 0.05)
            except TimeoutError:
                continue
            return acp.PromptResponse(stop_reason="cancelled")
        return acp.PromptResponse(stop_reason="end_turn")

    async def work(self, words):
        for word in words * REPEAT:
            await self.say(f"{word} ")
        path = f"{self.cwd}/notes.txt"
        call = acp.start_tool_call(str(uuid.uuid4()), f"Read {path}", kind="read", status="pending")
        await self.update(call)
        leave = await self.client.request_permission(
            session_id=self.session,
            tool_call=acp.update_tool_call(call.tool_call_id, title=f"Read {path}", kind="read"),
            options=OPTIONS,
        )
        if leave.outcome.outcome != "selected" or leave.outcome.option_id != YES:
            await self.update(acp.update_tool_call(call.tool_call_id, status="failed"))
            return acp.PromptResponse(stop_reason="refusal")
        await self.update(acp.update_tool_call(call.tool_call_id, status="in_progress"))
        notes = await self.client.read_text_file(session_id=self.session, path=path)
        await self.update(acp.update_tool_call(call.tool_call_id, status="completed"))
        await self.say(notes.content)
        return acp.PromptResponse(stop_reason=STOP_REASON)


asyncio.run(acp.run_agent(Agent()))
