"""
Small agents and clients, each written from the document of its dialect alone.

usage: dialect_peers.py DIALECT agent
       dialect_peers.py DIALECT client COMMAND [ARG]...

An agent does its work when it is prompted: it thinks, plans, starts a tool call, asks for
permission, reads a file, and says what is in there, as far as its dialect has words for it. Prompted
with "wait" it waits for a cancel; with "fail" it fails. A client notes what it is told in the same
words, whatever the dialect.
"""

# ruff: noqa: ARG002 -- not every dialect has words for everything

import asyncio
import json
import sys

NOTES = "/home/dev/notes.txt"


class Failed(Exception):  # noqa: N818 - as a word in a sentence
    """A request was answered with an error."""


class Peer:
    """A peer that speaks lines of JSON."""

    jsonrpc = True

    def __init__(self):
        self.waiting, self.count, self.tasks = {}, 0, set()
        self.failures = asyncio.Queue()

    async def run(self, reader, writer):
        self.writer = writer
        while line := await reader.readline():
            message = json.loads(line)
            if "method" in message:
                self.start(self.serve(message))
            else:
                self.waiting.pop(message["id"]).set_result(message)
        writer.close()

    def start(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.finish)
        return task

    def finish(self, task):
        """Report a failed assertion: the other peer would wait forever."""
        self.tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error and not isinstance(error, Failed):
            self.failures.put_nowait(error)

    async def serve(self, message):
        params, ident = message.get("params"), message.get("id")
        try:
            result = await self.take(message["method"], params or {})
        except Failed as failure:
            if ident is not None:
                code = failure.args[1] if len(failure.args) > 1 else -32603
                error = {"code": code, "message": failure.args[0]}
                self.send({"id": ident, "error": error})
        else:
            if ident is not None:
                self.send({"id": ident, "result": result})

    def send(self, message):
        if self.jsonrpc:
            message = {"jsonrpc": "2.0", **message}
        self.writer.write(json.dumps(message).encode() + b"\n")

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    async def ask(self, method, params):
        self.count += 1
        ident = self.count
        answer = self.waiting[ident] = asyncio.get_running_loop().create_future()
        self.send({"id": ident, "method": method, "params": params})
        message = await answer
        if "error" in message:
            raise Failed(message["error"]["message"], message["error"]["code"])
        return message["result"]


class Agent(Peer):
    """What all agents do; each dialect has its own words for it, or none."""

    def __init__(self):
        super().__init__()
        self.cancelled, self.turns = asyncio.Event(), 0

    async def turn(self, prompt):
        """Return whether the turn was cancelled."""
        if prompt == "wait":
            await self.say("waiting")
            await self.cancelled.wait()
            self.cancelled.clear()
            return True
        if prompt == "fail":
            raise Failed("no model")
        self.turns += 1
        call = f"c-{self.turns}"
        await self.think("Hm")
        await self.plan("Look")
        await self.begin_call(call, "Look")
        if not await self.permit(call, "Look"):
            await self.end_call(call, "failed", "")
            await self.say("denied")
            return False
        try:
            found = await self.read(NOTES)
        except Failed:
            found = "not read"
        await self.end_call(call, "completed", found)
        await self.say(found)
        return False

    async def think(self, text): ...
    async def plan(self, step): ...
    async def begin_call(self, name, title): ...
    async def end_call(self, name, status, output): ...

    async def permit(self, name, title):
        return True

    async def read(self, path):
        return "nothing read"


class Client(Peer):
    """What all clients do: `noted` is what this one was told."""

    def __init__(self):
        super().__init__()
        self.noted, self.allows, self.is_spoken_to = [], True, asyncio.Event()
        self.may_read = asyncio.Event()  # not before it has cancelled, in that turn

    def note(self, *words):
        self.noted.append(words)
        if words[0] == "text":
            self.is_spoken_to.set()

    async def converse(self):
        """Have four turns; return what was noted in each, and how it ended."""
        await self.hello()
        return [
            await self.turn("work"),
            await self.turn("work", allows=False),
            await self.turn("wait", cancels=True),
            await self.turn("fail"),
        ]

    async def turn(self, prompt, *, allows=True, cancels=False):
        self.noted, self.allows = [], allows
        self.is_spoken_to.clear()
        if cancels:
            self.may_read.clear()
        else:
            self.may_read.set()
        answer = self.start(self.prompt(prompt))
        if cancels:
            await self.is_spoken_to.wait()
            await self.cancel()
            self.may_read.set()
        try:
            end = await answer
        except Failed as failure:
            end = f"error: {failure.args[0]}"
        return [*self.noted, ("end", end)]


# Crow


class CrowAgent(Agent):
    async def take(self, method, params):
        if method == "initialize":
            return {
                "protocol_version": params["protocol_version"],
                "agent_capabilities": {"prompt_capabilities": {"text": True}, "load_session": True},
                "agent_info": {"name": "crow-test", "version": "0.1.0"},
            }
        if method == "session/new":
            return {"sessionId": "u-1"}
        if method == "session/load":
            self.session = params["session_id"]
            await self.say("before")
            return {}
        if method == "cancel":
            self.cancelled.set()
            return {}
        if method == "permission_response":
            self.decision.set_result(params["option_id"])
            return None
        assert method == "session/prompt", method
        self.session = params["session_id"]
        try:
            is_cancelled = await self.turn(params["prompt"][0]["text"])
        except Failed:
            return {"stop_reason": "error"}
        return {"stop_reason": "cancelled" if is_cancelled else "end_turn"}

    def update(self, name, /, **rest):
        update = {"@type": name, **rest}
        self.tell("session/update", {"sessionId": self.session, "update": update})

    async def say(self, text):
        self.update("agent_message_text", text=text)

    async def think(self, text):
        self.update("agent_thought_text", text=text)

    async def plan(self, step):
        entry = {"content": step, "priority": "high", "status": "in_progress"}
        self.update("plan_update", entries=[entry])

    async def begin_call(self, name, title):
        status = {"kind": "execute", "status": "in_progress"}
        self.update("tool_call_start", tool_call_id=name, title=title, **status)

    async def end_call(self, name, status, output):
        self.update("tool_call_update", tool_call_id=name, status=status)

    async def permit(self, name, title):
        self.decision = asyncio.get_running_loop().create_future()
        options = [
            {"id": "approve", "title": "Approve", "is_primary": True},
            {"id": "reject", "title": "Reject"},
        ]
        asked = {"title": title, "arguments": "ls", "permission_options": options}
        self.update("permission_request", tool_call_id=name, **asked)
        return await self.decision == "approve"


class CrowClient(Client):
    async def hello(self):
        info = {"name": "crow-ide", "version": "0.1.0"}
        hello = {"protocol_version": 1, "client_capabilities": {}, "client_info": info}
        said = await self.ask("initialize", hello)
        assert said["protocol_version"] == 1
        assert "agent_capabilities" in said
        made = await self.ask("session/new", {"cwd": "/home/dev", "mcpServers": []})
        self.session = made["sessionId"]

    async def prompt(self, text):
        prompt = [{"type": "text", "text": text}]
        params = {"session_id": self.session, "prompt": prompt}
        return (await self.ask("session/prompt", params))["stop_reason"]

    async def cancel(self):
        await self.ask("cancel", {"session_id": self.session})

    async def take(self, method, params):
        assert (method, params["sessionId"]) == ("session/update", self.session)
        update = params["update"]
        name = update["@type"]
        if name in ("agent_message_text", "agent_thought_text"):
            self.note("thought" if "thought" in name else "text", update["text"])
        elif name == "plan_update":
            self.note("plan", *[entry["content"] for entry in update["entries"]])
        elif name == "tool_call_start":
            self.note("call", update["title"], update["kind"], update["status"])
        elif name == "tool_call_update":
            self.note("call", update["status"])
        else:
            assert name == "permission_request", name
            self.note("asked", update["title"])
            ours = [o for o in update["permission_options"] if o.get("is_primary", False)]
            others = [o for o in update["permission_options"] if not o.get("is_primary", False)]
            chosen = (ours if self.allows else others)[0]["id"]
            answer = {"tool_call_id": update["tool_call_id"], "option_id": chosen}
            self.tell("permission_response", {"session_id": self.session, **answer})


# Threads


class ThreadsAgent(Agent):
    jsonrpc = False

    async def take(self, method, params):
        if method == "createThread":
            return {"threadId": "t-1"}
        if method == "getThreads":
            thread = {"id": "t-1", "title": "Wool", "modifiedAt": "2025-06-30T12:00:00Z"}
            return {"threads": [thread]}
        if method == "openThread":
            return None
        if method == "getThreadEntries":
            chunks = [{"type": "text", "chunk": "before"}]
            read = {"type": "readFile", "path": NOTES, "content": "Wool."}
            return {"entries": [{"type": "message", "role": "user", "chunks": chunks}, read]}
        assert method == "sendMessage", method
        self.thread = params["threadId"]
        text = params["message"]["chunks"][0]["chunk"]
        if text == "wait":  # there is no cancel: it ends by itself, after a while
            await self.say("waiting")
            await self.read(NOTES)
            return None
        await self.turn(text)
        return None

    async def say(self, text):
        chunk = {"type": "text", "chunk": text}
        await self.ask("streamMessageChunk", {"threadId": self.thread, "chunk": chunk})

    async def read(self, path):
        lines = {"lineOffset": 0, "lineLimit": 10}
        asked = {"threadId": self.thread, "path": path, **lines}
        return (await self.ask("readTextFile", asked))["content"]


class ThreadsClient(Client):
    jsonrpc = False

    async def hello(self):
        self.session = (await self.ask("createThread", None))["threadId"]

    async def prompt(self, text):
        message = {"role": "user", "chunks": [{"type": "text", "chunk": text}]}
        return await self.ask("sendMessage", {"threadId": self.session, "message": message})

    async def turn(self, prompt, *, allows=True, cancels=False):
        if cancels:
            return []  # it cannot
        return await super().turn(prompt, allows=allows)

    async def take(self, method, params):
        assert params["threadId"] == self.session
        if method == "streamMessageChunk":
            self.note("text", params["chunk"]["chunk"])
            return None
        assert method == "readTextFile", method
        self.note("read", params["path"], params.get("lineOffset"), params.get("lineLimit"))
        return {"version": 7, "content": "Wool."}


# Quickref


class QuickrefAgent(Agent):
    async def take(self, method, params):
        if method == "initialize":
            assert "capabilities" in params
            return {"protocolVersion": 1, "agentCapabilities": {}}
        if method == "session/new":
            return {"sessionId": "sess_abc"}
        if method == "session/cancel":
            self.cancelled.set()
            return None
        assert method == "session/prompt", method
        self.session = params["sessionId"]
        is_cancelled = await self.turn(params["prompt"][0]["text"])
        return {"stopReason": "cancelled" if is_cancelled else "end_turn"}

    def update(self, name, /, **rest):
        update = {"sessionUpdate": name, **rest}
        self.tell("session/update", {"sessionId": self.session, "update": update})

    async def say(self, text):
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    async def think(self, text):
        self.update("agent_thought_chunk", content={"type": "text", "text": text})

    async def plan(self, step):
        entry = {"content": step, "priority": "high", "status": "pending"}
        self.update("plan", entries=[entry])

    async def begin_call(self, name, title):
        call = {"id": name, "name": title, "status": "in_progress", "kind": "command"}
        self.update("tool_call", **call)

    async def end_call(self, name, status, output):
        self.update("tool_call_update", id=name, status=status)

    async def permit(self, name, title):
        options = [
            {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ]
        call = {"id": name, "name": title, "status": "pending"}
        asked = {"sessionId": self.session, "toolCall": call, "options": options}
        answer = await self.ask("session/request_permission", asked)
        return answer["outcome"] == {"outcome": "selected", "optionId": "allow"}


class QuickrefClient(Client):
    async def hello(self):
        await self.ask("initialize", {"protocolVersion": 1, "capabilities": {}})
        made = await self.ask("session/new", {"cwd": "/home/sprite", "mcpServers": []})
        self.session = made["sessionId"]

    async def prompt(self, text):
        prompt = [{"type": "text", "text": text}]
        params = {"sessionId": self.session, "prompt": prompt}
        return (await self.ask("session/prompt", params))["stopReason"]

    async def cancel(self):
        self.tell("session/cancel", {"sessionId": self.session})

    async def take(self, method, params):
        assert params["sessionId"] == self.session
        if method == "session/request_permission":
            self.note("asked", params["toolCall"]["name"])
            kind = "allow_once" if self.allows else "reject_once"
            (chosen,) = [each for each in params["options"] if each["kind"] == kind]
            return {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}
        assert method == "session/update", method
        return self.note_update(params["update"])

    def note_update(self, update):
        name = update["sessionUpdate"]
        if name in ("agent_message_chunk", "agent_thought_chunk"):
            self.note("thought" if "thought" in name else "text", update["content"]["text"])
        elif name == "plan":
            self.note("plan", *[entry["content"] for entry in update["entries"]])
        elif name == "tool_call":
            assert update["id"]
            self.note("call", update["name"], update.get("kind"), update.get("status"))
        else:
            assert name == "tool_call_update", name
            assert update["id"]
            self.note("call", update["status"])


# JetBrains


class JetbrainsAgent(QuickrefAgent):
    async def take(self, method, params):
        if method == "initialize":
            tool = {"name": "readFile", "description": "Reads a file", "inputSchema": {}}
            info = {"name": "my-agent", "version": "1.0.0"}
            told = {"capabilities": {"tools": [tool]}, "serverInfo": info}
            return {"protocolVersion": params["protocolVersion"], **told}
        result = await super().take(method, params)
        if method == "session/prompt" and params["prompt"][0]["text"] == "work":
            result["content"] = [{"type": "text", "text": "That is all."}]
        return result

    async def say(self, text):
        if text == "waiting":
            self.update("agent_message_chunk", content={"type": "text", "text": text})
        else:
            blocks = [{"type": "text", "text": text}]
            self.update("message", role="assistant", content=blocks)

    async def think(self, text): ...

    async def begin_call(self, name, title):
        call = {"toolCallId": name, "title": title, "kind": "execute", "status": "in_progress"}
        self.update("tool_call", **call)

    async def end_call(self, name, status, output):
        self.update("tool_call_update", toolCallId=name, status=status)

    async def permit(self, name, title):
        options = [
            {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ]
        call = {"toolCallId": name, "title": title}
        asked = {"sessionId": self.session, "toolCall": call, "options": options}
        answer = await self.ask("session/request_permission", asked)
        return answer["outcome"] == {"outcome": "selected", "optionId": "allow"}

    async def read(self, path):
        asked = {"sessionId": self.session, "path": path}
        return (await self.ask("fs/read_text_file", asked))["content"]


class JetbrainsClient(QuickrefClient):
    async def hello(self):
        offered = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}
        hello = {"protocolVersion": 1, "clientCapabilities": offered}
        said = await self.ask("initialize", hello)
        assert set(said) == {"protocolVersion", "capabilities", "serverInfo"}
        made = await self.ask("session/new", {"cwd": "/path/to/project", "mcpServers": []})
        self.session = made["sessionId"]

    async def take(self, method, params):
        if method == "fs/read_text_file":
            self.note("read", params["path"])
            return {"content": "Wool."}
        if method == "session/request_permission":
            call = params["toolCall"]
            params = {**params, "toolCall": {"name": call.get("title")}}
        return await super().take(method, params)

    def note_update(self, update):
        if "toolCallId" in update:
            update = {"id": update["toolCallId"], "name": update.get("title"), **update}
        super().note_update(update)


# ACPex


class AcpexAgent(Agent):
    async def take(self, method, params):
        if method == "initialize":
            assert "capabilities" in params
            return {
                "protocolVersion": 1,
                "agentCapabilities": {"sessions": {"new": True, "load": False}},
                "meta": {"name": "AI Agent", "version": "2.0.0"},
                "authenticationMethods": [],
            }
        if method == "authenticate":
            raise Failed("Invalid API key", -32001)
        if method == "session/new":
            return {"sessionId": "session_12345"}
        if method == "session/cancel":
            self.cancelled.set()
            return None
        assert method == "session/prompt", method
        self.session = params["sessionId"]
        is_cancelled = await self.turn(params["content"][0]["text"])
        return {"content": [], "stopReason": "cancelled" if is_cancelled else "done"}

    def update(self, kind, content):
        update = {"kind": kind, "content": content}
        self.tell("session/update", {"sessionId": self.session, "update": update})

    async def say(self, text):
        blocks = [{"type": "text", "text": text}]
        self.update("agent_message_chunk", {"role": "assistant", "content": blocks})

    async def think(self, text):
        self.update("agent_thought_chunk", {"thought": text})

    async def plan(self, step):
        self.update("plan", {"steps": [step]})

    async def begin_call(self, name, title):
        function = {"name": title, "arguments": json.dumps({"path": NOTES})}
        call = {"toolCallId": name, "type": "function", "function": function}
        self.update("tool_call", call)

    async def end_call(self, name, status, output):
        self.update("tool_call_update", {"toolCallId": name, "output": output})

    async def read(self, path):
        asked = {"sessionId": self.session, "path": path}
        return (await self.ask("fs/read_text_file", asked))["content"]


class AcpexClient(Client):
    async def hello(self):
        files = {"readTextFile": True, "writeTextFile": True}
        hello = {
            "protocolVersion": 1,
            "clientInfo": {"name": "My Editor", "version": "1.0.0"},
            "capabilities": {"fileSystem": files, "terminal": {"create": True}},
            "authenticationMethods": [],
        }
        said = await self.ask("initialize", hello)
        assert said["agentCapabilities"]["sessions"]["new"] is True
        made = await self.ask("session/new", {"cwd": "/home/user", "mcpServers": []})
        self.session = made["sessionId"]

    async def prompt(self, text):
        content = [{"type": "text", "text": text}]
        params = {"sessionId": self.session, "content": content}
        return (await self.ask("session/prompt", params))["stopReason"]

    async def cancel(self):
        self.tell("session/cancel", {"sessionId": self.session})

    async def take(self, method, params):
        if method == "fs/read_text_file":
            self.note("read", params["path"])
            return {"content": "Wool."}
        assert method == "session/update", method
        kind, content = params["update"]["kind"], params["update"]["content"]
        if kind == "agent_message_chunk":
            self.note("text", content["content"][0]["text"])
        elif kind == "agent_thought_chunk":
            self.note("thought", content["thought"])
        elif kind == "plan":
            self.note("plan", *content["steps"])
        elif kind == "tool_call":
            json.loads(content["function"]["arguments"])
            self.note("call", content["function"]["name"])
        else:
            assert kind == "tool_call_update", kind
            self.note("result", content["output"])
        return None


# Zed's crate, July 2025


class ZedPushedAgent(Agent):
    async def take(self, method, params):
        if method == "initialize":
            assert params["protocolVersion"].startswith("0.0.")
            return {"protocolVersion": "0.0.10", "isAuthenticated": True}
        if method == "cancelSendMessage":
            self.cancelled.set()
            return None
        assert method == "sendUserMessage", method
        await self.turn(params["chunks"][0]["text"])
        return None

    async def say(self, text):
        await self.ask("streamAssistantMessageChunk", {"chunk": {"text": text}})

    async def think(self, text):
        await self.ask("streamAssistantMessageChunk", {"chunk": {"thought": text}})

    async def plan(self, step):
        entry = {"content": step, "priority": "high", "status": "pending"}
        await self.ask("updatePlan", {"entries": [entry]})

    async def permit(self, name, title):
        confirmation = {"type": "execute", "command": "ls", "rootCommand": "ls"}
        call = {"label": title, "icon": "terminal", "confirmation": confirmation}
        answer = await self.ask("requestToolCallConfirmation", call)
        self.number = answer["id"]
        return answer["outcome"] == "allow"

    async def end_call(self, name, status, output):
        word = {"completed": "finished", "failed": "error"}[status]
        content = {"type": "markdown", "markdown": output}
        done = {"toolCallId": self.number, "status": word, "content": content}
        await self.ask("updateToolCall", done)

    async def read(self, path):
        return (await self.ask("readTextFile", {"path": path}))["content"]


class ZedPushedClient(Client):
    calls = 0

    async def hello(self):
        said = await self.ask("initialize", {"protocolVersion": "0.0.9"})
        assert said == {"protocolVersion": "0.0.9", "isAuthenticated": True}

    async def prompt(self, text):
        return await self.ask("sendUserMessage", {"chunks": [{"text": text}]})

    async def cancel(self):
        await self.ask("cancelSendMessage", None)

    async def take(self, method, params):
        if method == "streamAssistantMessageChunk":
            ((kind, text),) = params["chunk"].items()
            self.note(kind, text)
        elif method == "pushToolCall":
            self.calls += 1
            self.note("call", params["label"], params["icon"])
            return {"id": self.calls}
        elif method == "requestToolCallConfirmation":
            self.calls += 1
            self.note("asked", params["label"])
            return {"id": self.calls, "outcome": "allow" if self.allows else "reject"}
        elif method == "updateToolCall":
            assert 0 < params["toolCallId"] <= self.calls
            self.note("call", params["status"])
        elif method == "updatePlan":
            self.note("plan", *[entry["content"] for entry in params["entries"]])
        else:
            assert method == "readTextFile", method
            self.note("read", params["path"])
            return {"content": "Wool."}
        return None


# Zed's crate, August 2025


class ZedFlatAgent(JetbrainsAgent):
    async def take(self, method, params):
        if method == "initialize":
            return {"protocolVersion": params["protocolVersion"], "agentCapabilities": {}}
        method = {"session/cancelled": "session/cancel"}.get(method, method)
        return await QuickrefAgent.take(self, method, params)

    def update(self, name, /, **rest):
        update = {"sessionUpdate": name, **rest}
        self.tell("session/update", {"sessionId": self.session, **update})

    async def say(self, text):
        self.update("agentMessageChunk", content={"type": "text", "text": text})

    async def think(self, text):
        self.update("agentThoughtChunk", content={"type": "text", "text": text})

    async def begin_call(self, name, title):
        call = {"toolCallId": name, "label": title, "kind": "execute", "status": "inProgress"}
        self.update("toolCall", **call)

    async def end_call(self, name, status, output):
        self.update("toolCallUpdate", toolCallId=name, status=status)

    async def permit(self, name, title):
        options = [
            {"optionId": "allow", "name": "Allow", "kind": "allowOnce"},
            {"optionId": "reject", "name": "Reject", "kind": "rejectOnce"},
        ]
        call = {"toolCallId": name, "label": title}
        asked = {"sessionId": self.session, "toolCall": call, "options": options}
        answer = await self.ask("session/request_permission", asked)
        return answer["outcome"] == {"outcome": "selected", "optionId": "allow"}


ZED_NAMES = {
    "agentMessageChunk": "agent_message_chunk",
    "agentThoughtChunk": "agent_thought_chunk",
    "toolCall": "tool_call",
    "toolCallUpdate": "tool_call_update",
    "plan": "plan",
}


class ZedFlatClient(JetbrainsClient):
    async def hello(self):
        offered = {"fs": {"readTextFile": True, "writeTextFile": True}}
        await self.ask("initialize", {"protocolVersion": 1, "clientCapabilities": offered})
        made = await self.ask("session/new", {"cwd": "/home/dev", "mcpServers": []})
        self.session = made["sessionId"]

    async def cancel(self):
        self.tell("session/cancelled", {"sessionId": self.session})

    async def take(self, method, params):
        if method == "session/update":
            update = {**params, "sessionUpdate": ZED_NAMES[params["sessionUpdate"]]}
            update["title"] = update.pop("label", None)
            return self.note_update(update)
        if method == "session/request_permission":
            call = {"title": params["toolCall"].get("label")}
            kinds = {"allowOnce": "allow_once", "allowAlways": "", "rejectOnce": "reject_once"}
            options = [{**each, "kind": kinds[each["kind"]]} for each in params["options"]]
            params = {**params, "toolCall": call, "options": options}
        return await super().take(method, params)


class ZedNestedAgent(ZedFlatAgent):
    def update(self, name, /, **rest):
        QuickrefAgent.update(self, name, **rest)


class ZedNestedClient(ZedFlatClient):
    async def take(self, method, params):
        if method == "session/update":
            params = {"sessionId": params["sessionId"], **params["update"]}
        return await super().take(method, params)


class ZedAmericanAgent(JetbrainsAgent):
    async def take(self, method, params):
        if method == "initialize":
            return {"protocolVersion": params["protocolVersion"], "agentCapabilities": {}}
        result = await QuickrefAgent.take(self, method, params)
        return {"stopReason": "canceled"} if result == {"stopReason": "cancelled"} else result

    async def say(self, text):
        await QuickrefAgent.say(self, text)

    async def think(self, text):
        await QuickrefAgent.think(self, text)


class ZedAmericanClient(JetbrainsClient):
    hello = ZedFlatClient.hello


# Version 2


class Version2Agent(JetbrainsAgent):
    async def take(self, method, params):
        if method == "initialize":
            assert params["protocolVersion"] == 2
            assert params["info"]
            info = {"name": "new-agent", "version": "3.0.0"}
            told = {"session": {"prompt": {"image": {}}, "mcp": {"stdio": {}}}}
            return {"protocolVersion": 2, "info": info, "capabilities": told}
        if method == "session/prompt":
            self.session = params["sessionId"]
            self.start(self.work(params["prompt"][0]["text"]))
            return {"messageId": "m-0"}
        return await QuickrefAgent.take(self, method, params)

    async def work(self, text):
        self.update("state_update", state="running")
        try:
            reason = {"stopReason": "cancelled" if await self.turn(text) else "end_turn"}
        except Failed as failure:
            error = {"code": -32603, "message": failure.args[0]}
            reason = {"stopReason": "error", "error": error}
        self.update("state_update", state="idle", **reason)

    async def say(self, text):
        content = {"type": "text", "text": text}
        self.update("agent_message_chunk", messageId="m-1", content=content)

    async def think(self, text):
        self.update("agent_thought", messageId="m-2", content=[{"type": "text", "text": text}])

    async def plan(self, step):
        entry = {"content": step, "priority": "high", "status": "pending"}
        self.update("plan_update", plan={"type": "items", "planId": "p-1", "entries": [entry]})

    async def begin_call(self, name, title):
        call = {"toolCallId": name, "title": title, "kind": "execute", "status": "in_progress"}
        self.update("tool_call_update", **call)

    async def permit(self, name, title):
        options = [
            {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ]
        subject = {"type": "tool_call", "toolCall": {"toolCallId": name}}
        asked = {"sessionId": self.session, "title": title, "subject": subject}
        answer = await self.ask("session/request_permission", {**asked, "options": options})
        return answer["outcome"] == {"outcome": "selected", "optionId": "allow"}

    async def read(self, path):
        return "nothing read"


class Version2Client(JetbrainsClient):
    async def hello(self):
        info = {"name": "new-client", "version": "3.0.0"}
        said = await self.ask("initialize", {"protocolVersion": 2, "info": info})
        assert said["protocolVersion"] == 2
        assert said["info"]
        made = await self.ask("session/new", {"cwd": "/home/dev"})
        self.session = made["sessionId"]

    async def prompt(self, text):
        self.idle = asyncio.get_running_loop().create_future()
        prompt = [{"type": "text", "text": text}]
        asked = {"sessionId": self.session, "prompt": prompt}
        assert (await self.ask("session/prompt", asked))["messageId"]
        idle = await self.idle
        if idle["stopReason"] == "error":
            raise Failed(idle["error"]["message"])
        return idle["stopReason"]

    async def take(self, method, params):
        if method == "session/request_permission":
            call = params["subject"]["toolCall"]
            assert call["toolCallId"]
            params = {**params, "toolCall": {"title": params["title"]}}
        return await super().take(method, params)

    def note_update(self, update):
        name = update["sessionUpdate"]
        if name == "state_update":
            if update["state"] == "idle":
                self.idle.set_result(update)
        elif name == "plan_update":
            self.note("plan", *[entry["content"] for entry in update["plan"]["entries"]])
        elif name == "tool_call_update" and "title" in update and "kind" in update:
            self.note("call", update["title"], update["kind"], update["status"])
        else:
            assert "messageId" in update or "toolCallId" in update
            super().note_update(update)


PEERS = {
    "crow": (CrowAgent, CrowClient),
    "threads": (ThreadsAgent, ThreadsClient),
    "quickref": (QuickrefAgent, QuickrefClient),
    "jetbrains": (JetbrainsAgent, JetbrainsClient),
    "acpex": (AcpexAgent, AcpexClient),
    "zed-0.0.10": (ZedPushedAgent, ZedPushedClient),
    "zed-0.0.15": (ZedFlatAgent, ZedFlatClient),
    "zed-0.0.17": (ZedNestedAgent, ZedNestedClient),
    "zed-0.0.29": (ZedAmericanAgent, ZedAmericanClient),
    "v2": (Version2Agent, Version2Client),
}


async def serve(agent):
    """Be an agent on stdin and stdout."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    await agent.run(reader, asyncio.StreamWriter(*flow, reader, loop))


async def drive(client, command):
    """Be a client of the agent that `command` starts; print what was noted."""
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*command, **pipes)
    client.writer = process.stdin
    running = asyncio.ensure_future(client.run(process.stdout, process.stdin))
    print(json.dumps(await client.converse()), flush=True)
    process.stdin.close()
    await process.wait()
    await running


if __name__ == "__main__":
    Agents, Clients = PEERS[sys.argv[1]]
    if sys.argv[2] == "agent":
        asyncio.run(serve(Agents()))
    else:
        asyncio.run(drive(Clients(), sys.argv[3:]))
