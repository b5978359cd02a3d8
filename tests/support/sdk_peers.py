"""A client and an agent on the official Python SDK, which do and note what `dialect_peers` do."""

# ruff: noqa: ARG002 -- the names of arguments are the SDK's

import asyncio

from tests.interop.programs import quick_sdk  # noqa: F401 - before acp is loaded

# isort: split

import acp
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    PermissionOption,
)

from tests.support.dialect_peers import NOTES, Client

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class SdkAgent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn
        self.cancelled = asyncio.Event()

    async def run(self, reader, writer):
        await acp.run_agent(self, writer, reader)

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(load_session=True),
            agent_info=Implementation(name="sdk-agent", version="1.0"),
        )

    async def new_session(self, cwd, **_):
        return acp.NewSessionResponse(session_id="s-1")

    async def load_session(self, session_id, **_):
        self.session = session_id
        await self.update(acp.update_user_message_text("before"))
        await self.update(acp.update_agent_message_text("it was so"))
        return acp.LoadSessionResponse()

    async def cancel(self, **_):
        self.cancelled.set()

    async def update(self, update):
        await self.client.session_update(session_id=self.session, update=update)

    async def prompt(self, prompt, session_id, **_):
        self.session, text = session_id, prompt[0].text
        if text == "fail":
            raise acp.RequestError(-32603, "no model")
        if text == "wait":
            await self.update(acp.update_agent_message_text("waiting"))
            await self.cancelled.wait()
            self.cancelled.clear()
            return acp.PromptResponse(stop_reason="cancelled")
        await self.update(acp.update_agent_thought_text("Hm"))
        await self.update(acp.update_plan([acp.plan_entry("Look")]))
        await self.update(acp.start_tool_call("c-1", "Look", kind="execute", status="in_progress"))
        asked = acp.update_tool_call("c-1", title="Look")
        answer = await self.client.request_permission(
            session_id=session_id, tool_call=asked, options=OPTIONS
        )
        if getattr(answer.outcome, "option_id", "") != "yes":
            await self.update(acp.update_tool_call("c-1", status="failed"))
            await self.update(acp.update_agent_message_text("denied"))
            return acp.PromptResponse(stop_reason="end_turn")
        try:
            read = await self.client.read_text_file(session_id=session_id, path=NOTES)
            found = read.content
        except acp.RequestError as error:
            found = f"not read: {error.code}"
        await self.update(acp.update_tool_call("c-1", status="completed"))
        await self.update(acp.update_agent_message_text(found))
        return acp.PromptResponse(stop_reason="end_turn")


class SdkClient(Client, acp.Client):
    def __init__(self):
        Client.__init__(self)
        self.is_connected = asyncio.Event()

    def on_connect(self, conn):
        pass

    async def run(self, reader, writer):
        self.agent = acp.connect_to_agent(self, writer, reader)
        self.is_connected.set()

    async def hello(self):
        await self.is_connected.wait()
        fs = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        self.hello_said = await self.agent.initialize(
            protocol_version=1,
            client_capabilities=ClientCapabilities(fs=fs),
            client_info=Implementation(name="sdk-client", version="1.0"),
        )
        made = await self.agent.new_session(cwd="/home/dev", mcp_servers=[])
        self.session = made.session_id

    async def prompt(self, text):
        try:
            prompt = [acp.text_block(text)]
            answer = await self.agent.prompt(session_id=self.session, prompt=prompt)
        except acp.RequestError as error:
            return f"error: {error}"
        return answer.stop_reason

    async def cancel(self):
        await self.agent.cancel(session_id=self.session)

    async def session_update(self, session_id, update, **_):
        assert session_id == self.session
        self.note_update(update.model_dump(by_alias=True, mode="json", exclude_none=True))

    def note_update(self, update):
        name = update["sessionUpdate"]
        if name.endswith("_chunk"):
            word = {"agent_message_chunk": "text", "agent_thought_chunk": "thought"}.get(name, name)
            self.note(word, update["content"]["text"])
        elif name == "plan":
            self.note("plan", *[entry["content"] for entry in update["entries"]])
        elif name == "tool_call":
            status = update.get("status", "pending")
            self.note("call", update["title"], update.get("kind", "other"), status)
        else:
            assert name == "tool_call_update", name
            self.note("call", update["status"])

    async def request_permission(self, tool_call, options, **_):
        self.note("asked", tool_call.title)
        kind = "allow_once" if self.allows else "reject_once"
        chosen = next(option for option in options if option.kind == kind)
        outcome = {"outcome": "selected", "optionId": chosen.option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})

    async def read_text_file(self, path, line=None, limit=None, **_):
        await self.may_read.wait()
        self.note("read", path)
        return acp.ReadTextFileResponse(content="Wool.")
