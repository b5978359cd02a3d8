"""Quickref: other names in tool calls, and of embedded resources."""

from typing import Any, ClassVar

from acp_spy.dialect.quickref import QUICKREF
from acp_spy.middleware.dialects.tables import Both, Calls, Note, call, each, record, word
from acp_spy.middleware.dialects.translation import Params, Translation
from acp_spy.wire.values import fields

_FILE_TOOLS = {"Read": "read", "Edit": "edit", "Write": "edit"}
_KINDS = {
    **dict.fromkeys(("read", "edit", "delete", "move"), "file"),
    "execute": "command",
    "search": "search",
}
_BLOCK_TYPES = word({"embedded_resource": "resource"})
_BLOCK = record(inside={"type": _BLOCK_TYPES})
_CHUNK = record(inside={"content": _BLOCK})
_CONTENT = each(record(inside={"content": _BLOCK}))
_STOP_REASON = word({}, {"max_turn_requests": "end_turn"})


def _read_tool_call(sent: Any, note: Note) -> Any:
    call = record({"id": "toolCallId", "name": "title"}, {"content": _CONTENT}).read(sent, note)
    kind = call.get("kind")
    if kind == "file":
        call["kind"] = _FILE_TOOLS.get(str(call.get("title")), "other")
        if call["kind"] == "other":
            note("the kind `file` is sent as `other`: it may be `read` or `edit`")
    elif kind == "command":
        call["kind"] = "execute"
    return call


def _write_tool_call(sent: Any, note: Note) -> Any:
    call: Params = dict(fields(sent))
    name = call.pop("name", None)  # of the tool, as the dialect means it
    if name:
        call["title"] = name
    if "kind" in call:
        call["kind"] = _KINDS.get(str(call["kind"]), "other")
    made = record({"id": "toolCallId", "name": "title"}, {"content": _CONTENT}).write(call, note)
    return {"status": "pending", **made}


_TOOL_CALL = Both(_read_tool_call, _write_tool_call)


class Quickref(Translation):
    """The dialect of a quick reference."""

    name = QUICKREF.name
    origin = QUICKREF.origin
    cannot = "files, terminals, loading sessions, signing in"
    document = QUICKREF.document
    calls: ClassVar[Calls] = {
        "initialize": call(
            "initialize", record({"capabilities": "clientCapabilities"}, write={"capabilities": {}})
        ),
        "session/new": call("session/new"),
        "session/prompt": call(
            "session/prompt",
            record(inside={"prompt": each(_BLOCK)}),
            record(inside={"stopReason": _STOP_REASON}),
        ),
        "session/cancel": call("session/cancel"),
    }
    updates: ClassVar[Calls] = {
        "user_message_chunk": call("user_message_chunk", _CHUNK),
        "agent_message_chunk": call("agent_message_chunk", _CHUNK),
        "agent_thought_chunk": call("agent_thought_chunk", _CHUNK),
        "tool_call": call("tool_call", _TOOL_CALL),
        "tool_call_update": call("tool_call_update", _TOOL_CALL),
        "plan": call("plan"),
        "available_commands_update": call("available_commands_update"),
        "current_mode_update": call("current_mode_update"),
    }

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.writes["session/request_permission"] = self._write_permission
        self.reads["session/request_permission"] = self._read_permission

    def _write_permission(self, params: Params, asked: Any) -> None:
        tool_call = self.titled(params.get("sessionId"), fields(params.get("toolCall")))
        made = {**params, "toolCall": {"name": "", **_write_tool_call(tool_call, self.note)}}
        then = self.returned(asked, lambda result: result)
        self.ask_dialect("session/request_permission", made, then, asked)

    def _read_permission(self, params: Params, asked: Any) -> None:
        tool_call = _read_tool_call(fields(params.get("toolCall")), self.note)
        then = self.returned(asked, lambda result: result)
        made = {**params, "toolCall": tool_call}
        self.ask_official("session/request_permission", made, then, asked)
