"""ACPex: updates told apart by `kind`, with the shapes of the model APIs inside."""

from typing import Any, ClassVar

import msgspec

from acp_spy.dialect.acpex import ACPEX
from acp_spy.dialect.reading import OFFICIAL_UPDATES
from acp_spy.middleware.dialects.jetbrains import SaidInResponse
from acp_spy.middleware.dialects.tables import (
    Both,
    Calls,
    NoCounterpart,
    Note,
    by_tag,
    call,
    each,
    record,
    word,
)
from acp_spy.middleware.dialects.translation import INTERNAL, Asked, Params, name_of, text_of
from acp_spy.wire.values import decoded, fields, items, text

_TERMINAL = ("create", "output", "waitForExit", "kill", "release")
_SIGN_IN, _NOT_FOUND, _DENIED = -32000, -32002, -32002  # official, official, ACPex's
_ITS_NOT_FOUND = -32001  # and for a wrong key as well
# Its document has no more than their names.
_AS_THEY_ARE = (
    *("session/new", "session/load", "session/cancel", "fs/read_text_file", "fs/write_text_file"),
    *("terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill"),
    "terminal/release",
)


def _read_terminal(sent: Any, _note: Note) -> Any:
    return all(fields(sent).get(key) is True for key in _TERMINAL)


def _write_terminal(offered: Any, _note: Note) -> Any:
    return dict.fromkeys(_TERMINAL, offered is True)


def _name(uri: Any) -> str:
    return (text(uri) or "").rsplit("/", 1)[-1]


_CLIENT = record(
    {"fileSystem": "fs"},
    {"terminal": Both(_read_terminal, _write_terminal)},
    lacks=("prompts",),
)


_AGENT = record({"mcp": "mcpCapabilities", "prompts": "promptCapabilities"}, lacks=("sessions",))


def _read_agent(sent: Any, _note: Note) -> Any:
    made = _AGENT.read(sent, lambda _: None)
    loads = fields(fields(sent).get("sessions")).get("load") is True
    return {**made, "loadSession": loads}


def _write_agent(sent: Any, note: Note) -> Any:
    made = _AGENT.write(sent, note)
    loads = made.pop("loadSession", False) is True
    return {"sessions": {"new": True, "load": loads}, **made}


_INITIALIZE = record(
    {"capabilities": "clientCapabilities"},
    {"clientCapabilities": _CLIENT},
    lacks=("authenticationMethods",),
    write={"capabilities": {}},
)
_INITIALIZED = record(
    {"meta": "agentInfo", "authenticationMethods": "authMethods"},
    {"agentCapabilities": Both(_read_agent, _write_agent)},
    write={"agentCapabilities": {"sessions": {"new": True, "load": False}}},
)


def _read_media(block: Any, _note: Note) -> Any:
    source = fields(fields(block).get("source"))
    made = {"type": block["type"], "data": source.get("data"), "mimeType": source.get("mediaType")}
    return made if source else block


def _write_media(block: Any, _note: Note) -> Any:
    source = {"type": "base64", "mediaType": block.get("mimeType"), "data": block.get("data")}
    return {"type": block["type"], "source": source}


def _read_resource(block: Any, _note: Note) -> Any:
    if "resource" in block:
        return block
    inside = {key: item for key, item in block.items() if key != "type"}
    if "text" in inside:
        return {"type": "resource", "resource": inside}
    return {**inside, "type": "resource_link", "name": _name(inside.get("uri"))}


def _write_resource(block: Any, _note: Note) -> Any:
    inside = fields(block.get("resource"))
    if "text" not in inside:
        raise NoCounterpart("a resource without a text")
    return {"type": "resource", **inside}


def _read_link(block: Any, _note: Note) -> Any:
    return {"name": _name(block.get("uri")), **block}


def _write_link(block: Any, _note: Note) -> Any:
    return {key: block[key] for key in ("type", "uri") if key in block}  # a name is for people


_MEDIA = Both(_read_media, _write_media)
_BLOCK = by_tag(
    "type",
    {
        "image": _MEDIA,
        "audio": _MEDIA,
        "resource": Both(_read_resource, _write_resource),
        "resource_link": Both(_read_link, _write_link),
    },
)
_STOP_REASON = word(
    {"done": "end_turn"}, dict.fromkeys(("max_tokens", "max_turn_requests", "refusal"), "done")
)


def _read_thought(sent: Any, _note: Note) -> Any:
    thought = fields(fields(sent).get("content")).get("thought")
    return {"content": {"type": "text", "text": thought}}


def _write_thought(update: Any, _note: Note) -> Any:
    return {"content": {"thought": text_of(fields(update).get("content"))}}


def _write_message(update: Any, note: Note) -> Any:
    block = _BLOCK.write(fields(update).get("content"), note)
    return {"content": {"role": "assistant", "content": [block]}}


def _read_tool_call(sent: Any, _note: Note) -> Any:
    content = fields(fields(sent).get("content"))
    function = fields(content.get("function"))
    given = text(function.get("arguments")) or ""
    made = {"toolCallId": content.get("toolCallId"), "title": function.get("name")}
    if given:
        parsed = decoded(given.encode())
        made["rawInput"] = given if parsed is None else parsed
    return made


def _write_tool_call(sent: Any, note: Note) -> Any:
    call = fields(sent)
    for key in ("kind", "content", "locations", "rawOutput"):
        if call.get(key):
            note(f"`{key}` is left out")
    function = {
        "name": call.get("name") or call.get("title"),
        "arguments": msgspec.json.encode(call.get("rawInput") or {}).decode(),
    }
    return {
        "content": {
            "toolCallId": call.get("toolCallId"),
            "type": "function",
            "function": function,
        }
    }


def _read_result(sent: Any, _note: Note) -> Any:
    content = fields(fields(sent).get("content"))
    made = {"toolCallId": content.get("toolCallId")}
    if "output" not in content:
        return made
    made |= {"status": "completed", "rawOutput": content["output"]}
    if isinstance(content["output"], str):
        block = {"type": "text", "text": content["output"]}
        made["content"] = [{"type": "content", "content": block}]
    return made


def _write_result(sent: Any, note: Note) -> Any:
    call = fields(sent)
    if call.get("status") not in ("completed", "failed"):
        raise NoCounterpart(f"the status `{call.get('status')}`")
    if call["status"] == "failed":
        note("the dialect cannot say that a tool call failed: only its output is sent")
    texts = [
        text(fields(fields(item).get("content")).get("text")) or ""
        for item in items(call.get("content"))
    ]
    output = call.get("rawOutput")
    output = "\n".join(texts) if output is None else output
    return {"content": {"toolCallId": call.get("toolCallId"), "output": output}}


def _read_plan(sent: Any, note: Note) -> Any:
    steps = items(fields(fields(sent).get("content")).get("steps"))
    note("steps have neither priority nor status: sent as `medium`, `pending`")
    return {
        "entries": [{"content": step, "priority": "medium", "status": "pending"} for step in steps]
    }


def _write_plan(sent: Any, note: Note) -> Any:
    note("`priority` and `status` of the entries are left out")
    entries = [fields(entry) for entry in items(fields(sent).get("entries"))]
    return {"content": {"steps": [entry.get("content") for entry in entries]}}


class Acpex(SaidInResponse):
    """The dialect of ACPex' protocol overview."""

    name = ACPEX.name
    origin = ACPEX.origin
    cannot = (
        "permissions, kinds and statuses of tool calls, priorities and statuses of plans, the"
        " user's own messages, most stop reasons"
    )
    document = ACPEX.document
    tag = "kind"
    calls: ClassVar[Calls] = {
        "initialize": call("initialize", _INITIALIZE, _INITIALIZED),
        "authenticate": call("authenticate", record(lacks=("data",))),
        "session/prompt": call(
            "session/prompt",
            record({"content": "prompt"}, {"prompt": each(_BLOCK)}),
            record(inside={"stopReason": _STOP_REASON}),
        ),
        **{name: call(name) for name in _AS_THEY_ARE},
    }
    updates: ClassVar[Calls] = {
        "agent_message_chunk": call("agent_message_chunk", Both(lambda u, _: u, _write_message)),
        "agent_thought_chunk": call("agent_thought_chunk", Both(_read_thought, _write_thought)),
        "tool_call": call("tool_call", Both(_read_tool_call, _write_tool_call)),
        "tool_call_update": call("tool_call_update", Both(_read_result, _write_result)),
        "plan": call("plan", Both(_read_plan, _write_plan)),
    }

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.reads["session/update"] = self._read_any_update
        self.writes["session/request_permission"] = self.reject

    def read_block(self, block: Any) -> Any:
        """Return a content block of the dialect as official ACP has it."""
        return _BLOCK.read(block, self.note)

    def read_error(self, error: Any) -> Any:
        """Return an error with the official code."""
        code = fields(error).get("code")
        if code == _ITS_NOT_FOUND:
            return {**error, "code": _SIGN_IN if self._about == "authenticate" else _NOT_FOUND}
        if code == _DENIED:
            self.note("-32002 (permission denied) is sent as -32603")
            return {**error, "code": INTERNAL}
        return error

    def write_error(self, error: Any) -> Any:
        """Return an error with ACPex's code."""
        code = fields(error).get("code")
        return {**error, "code": _ITS_NOT_FOUND} if code in (_SIGN_IN, _NOT_FOUND) else error

    def _read_any_update(self, params: Params, asked: Asked | None) -> None:
        session, update = name_of(params.get("sessionId")), fields(params.get("update"))
        kind, content = update.get("kind"), update.get("content")
        if name_of(update.get("type")) in OFFICIAL_UPDATES and "sessionUpdate" in update:
            # ACPex's code has it so, unlike its document.
            rest = {key: item for key, item in update.items() if key != "type"}
            again = {**rest, "sessionUpdate": update["type"]}
            self.tell_update(session, again)
        elif kind in ("message", "agent_message_chunk"):
            message = fields(content)
            blocks = message.get("content", [message] if "type" in message else [])
            if isinstance(content, str):
                blocks = [{"type": "text", "text": content}]
            is_users = message.get("role") == "user"
            name = "user_message_chunk" if is_users else "agent_message_chunk"
            self.say_blocks(session, name, blocks)
        else:
            self._read_update(params, asked)
