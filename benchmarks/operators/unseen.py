"""Mistakes and differences that were written down before the rules were read."""

from zlib import crc32

from benchmarks.mutating import AGENT, CLIENT, DROP, LEGAL, line_of, operator, renamed, shape
from benchmarks.operators.framing import FRM
from benchmarks.operators.jsonrpc import RPC, each
from benchmarks.operators.lifecycle import LIF
from benchmarks.operators.shapes import SCH

_CALLS = "update tool_call|tool_call_update"
_CHUNK = "update agent_message_chunk"
_PERMISSION = "session/request_permission"


def _sch(what, where, value, version=1):
    shape(SCH, what, where, value, version=version)


def _legal(what, where, value, version=1):
    shape(LEGAL, what, where, value, version=version)


# -------------------------------------------------------------------------------------- mistakes

_sch("the status of a tool call is called `state`", _CALLS, renamed("status", "state"))
_sch("the status of a tool call is a number", f"{_CALLS}: status", 1)
_sch("the status of a tool call is `done`", f"{_CALLS}: status", "done")
_sch("the status of a tool call is `running`", f"{_CALLS}: status", "running")
_sch("the status of a tool call is empty", f"{_CALLS}: status", "")
_sch("the id of a tool call is 7", f"{_CALLS}: toolCallId", 7)
_sch(
    "the id of a tool call is called `tool_call_id`", _CALLS, renamed("toolCallId", "tool_call_id")
)
_sch("the title of a tool call is missing", "update tool_call: title", DROP)
_sch("the title of a tool call is a list", "update tool_call: title", ["Read"])
_sch("the kind of a tool call is `shell`", "update tool_call: kind", "shell")
_sch("the content of a tool call is the word `done`", f"{_CALLS}: content", "done")
_sch("the content of a tool call is one block", f"{_CALLS}: content", {"type": "text", "text": "a"})
_sch(
    "the content of a tool call is bare text", f"{_CALLS}: content", [{"type": "text", "text": "a"}]
)
_sch("locations are strings", f"{_CALLS}: locations", ["/home/dev/a.py"])
_sch("a location has only a line", f"{_CALLS}: locations", [{"line": 3}])
_sch("a location has a `file` for its path", f"{_CALLS}: locations", [{"file": "/home/dev/a.py"}])
_sch("the line of a location is a string", f"{_CALLS}: locations", [{"path": "/a", "line": "3"}])
_sch("a chunk has a string for its content", f"{_CHUNK}: content", "Hello")
_sch(
    "a chunk has a list for its content", f"{_CHUNK}: content", [{"type": "text", "text": "Hello"}]
)
_sch("a chunk has no type in its content", f"{_CHUNK}: content/type", DROP)
_sch("a chunk has a number for its text", f"{_CHUNK}: content/text", 42)
_sch("a chunk is called `message_chunk`", f"{_CHUNK}: sessionUpdate", "message_chunk")
_sch("an update is called `type`", _CHUNK, renamed("sessionUpdate", "type"))
_sch(
    "the stop reason is called `stop_reason`",
    "result session/prompt",
    renamed("stopReason", "stop_reason"),
)
_sch("the stop reason is the word `stop`", "result session/prompt: stopReason", "stop")
_sch("the stop reason is sent as null", "result session/prompt: stopReason", None)
_sch("the stop reason is missing", "result session/prompt: stopReason", DROP)
_sch("the prompt is a string", "params session/prompt: prompt", "Hello")
_sch("the prompt is missing", "params session/prompt: prompt", DROP)
_sch("the prompt has a block without text", "params session/prompt: prompt/*/text", DROP)
_sch("the working directory is missing", "params session/new: cwd", DROP)
_sch("the working directory is a list", "params session/new: cwd", ["/home/dev"])
_sch("MCP servers are missing", "params session/new: mcpServers", DROP)
_sch("MCP servers are null", "params session/new: mcpServers", None)
_sch("the session is called `id`", "result session/new", renamed("sessionId", "id"))
_sch("the id of a session is a number", "result session/new: sessionId", 7)
_sch("an option is sent without its kind", f"params {_PERMISSION}: options/*/kind", DROP)
_sch("an option is sent without its name", f"params {_PERMISSION}: options/*/name", DROP)
_sch("an option has an `id`", f"params {_PERMISSION}: options/*", renamed("optionId", "id"))
_sch("options are missing", f"params {_PERMISSION}: options", DROP)
_sch("the tool call of a permission is missing", f"params {_PERMISSION}: toolCall", DROP)
_sch("a permission is answered with `allow`", f"result {_PERMISSION}: outcome", "allow")
_sch("a permission is answered with `allowed`", f"result {_PERMISSION}: outcome/outcome", "allowed")
_sch(
    "a permission is answered by `cancelled` and an option",
    f"result {_PERMISSION}: outcome/outcome",
    "cancelled",
)
_sch("a permission is answered without an option", f"result {_PERMISSION}: outcome/optionId", DROP)
_sch("a file is read with `file_path`", "params fs/read_text_file", renamed("path", "file_path"))
_sch("a file is read without a session", "params fs/read_text_file: sessionId", DROP)
_sch("a file is answered as a bare string", "result fs/read_text_file", "text")
_sch("a file is answered with `text`", "result fs/read_text_file", renamed("content", "text"))
_sch(
    "a capability is the string `true`",
    "params initialize: clientCapabilities/fs/readTextFile",
    "true",
)
_sch(
    "the capabilities of the agent are a list",
    "result initialize: agentCapabilities",
    ["loadSession"],
)


def _without_version(said):
    return {key: one for key, one in said.message.items() if key != "jsonrpc"}


def _with_text_as_error(said):
    return {"jsonrpc": "2.0", "id": said.message["id"], "error": "failed"}


def _results(talk):
    return talk.results()


each(RPC, "a response without `jsonrpc`", pick=_results, change=_without_version)
each(
    RPC,
    "a response with `jsonrpc` 1.0",
    pick=_results,
    change=lambda said: {**said.message, "jsonrpc": "1.0"},
)
each(
    RPC,
    "a response with the id as an object",
    pick=_results,
    change=lambda said: {**said.message, "id": {"value": said.message["id"]}},
)
each(
    RPC,
    "a prompt fails with a string",
    pick=lambda talk: talk.results("session/prompt"),
    change=_with_text_as_error,
)
each(
    RPC,
    "params are a list",
    pick=lambda talk: talk.requests("session/prompt"),
    change=lambda said: {**said.message, "params": [said.message["params"]]},
)


@operator(LIF, "the first prompt comes before the session is there", version=1)
def early_prompt(talk):
    for opened in talk.results("session/new")[:1]:
        for prompt in talk.requests("session/prompt")[:1]:
            yield talk.move_before(prompt, opened)


@operator(LIF, "a prompt is answered before its last update", version=1)
def early_end(talk):
    for prompt, answer, updates in talk.turns():
        if talk.is_cancelled(prompt):
            continue
        shown = [
            each for each in updates if each.kind in ("agent_message_chunk", "tool_call_update")
        ]
        if shown:
            yield talk.move_before(answer, shown[-1])


@operator(LIF, "a tool call is announced after its update", version=1)
def late_call(talk):
    for call in talk.updates("tool_call"):
        same = [
            each
            for each in talk.updates("tool_call_update")
            if each.update.get("toolCallId") == call.update.get("toolCallId")
        ]
        if len(same) > 1 and not talk.in_replay(call):
            yield talk.move(call, same[0])


# ----------------------------------------------------------------------------------- differences

_legal("a tool call has no kind", "update tool_call: kind", DROP)
_legal("a tool call has the kind `other`", "update tool_call: kind", "other")
_legal("a tool call is sent without its locations", f"{_CALLS}: locations", DROP)
_legal("a tool call has an empty list of locations", f"{_CALLS}: locations", [])
_legal("a location has no line", f"{_CALLS}: locations/*/line", DROP)
_legal("a location has a null line", f"{_CALLS}: locations/*/line", None)
_legal("a tool call has no raw input", f"{_CALLS}: rawInput", DROP)
_legal("a tool call has a list as raw input", f"{_CALLS}: rawInput", [1, "two", None])
_legal("a tool call has a string as raw output", f"{_CALLS}: rawOutput", "done")
_legal("an update has null content", "update tool_call_update: content", None)
_legal("an update has a null title", "update tool_call_update: title", None)
_legal("an update has `_meta`", f"{_CALLS}: +_meta", {"example.com/trace": 1})
_legal("an update has null `_meta`", f"{_CALLS}: +_meta", None)
_legal("a chunk has annotations", f"{_CHUNK}: content/+annotations", {"audience": ["user"]})
_legal("a chunk is empty", f"{_CHUNK}: content/text", "")
_legal("a chunk has line ends", f"{_CHUNK}: content/text", "one\r\ntwo\n\n")
_legal("a chunk has an emoji", f"{_CHUNK}: content/text", "\U0001f600 \U0001f468\u200d\U0001f469")
_legal("a chunk has a quoted JSON text", f"{_CHUNK}: content/text", '{"jsonrpc": "2.0"}')
_legal("a chunk has an ANSI sequence", f"{_CHUNK}: content/text", "\x1b[31mred\x1b[0m")
_legal("a prompt has `_meta`", "params session/prompt: +_meta", {"requestId": "r-1"})
_legal("a response to a prompt has `_meta`", "result session/prompt: +_meta", {"cost": 0.1})
_legal("a session has `_meta`", "result session/new: +_meta", {"model": "x"})
_legal("the client has an empty `_meta`", "params initialize: +_meta", {})
_legal("`clientInfo` has a title", "params initialize: clientInfo/+title", "Editor")
_legal("`agentInfo` has a null title", "result initialize: agentInfo/+title", None)
_legal("an option has another name", f"params {_PERMISSION}: options/*/name", "Ja, gerne")
_legal("an option has `_meta`", f"params {_PERMISSION}: options/*/+_meta", {"a": 1})
_legal("an outcome has `_meta`", f"result {_PERMISSION}: outcome/+_meta", {})
_legal("a file that is read is empty", "result fs/read_text_file: content", "")
_legal("a file is read from line 1", "params fs/read_text_file: +line", 1)
_legal("a null line and limit", "params fs/read_text_file: +limit", None)


def _all_ids(change):
    def changed(said):
        message = dict(said.message)
        if message.get("id") is not None:
            message["id"] = change(said.message["id"])
        return message

    return changed


@operator(LEGAL, "every id is a UUID", version=1)
def uuids(talk):
    yield talk.everywhere(
        _all_ids(lambda old: f"0b1f4c8e-9d1a-4e5f-8a3b-{crc32(str(old).encode()):012d}")
    )


@operator(LEGAL, "every id is large", version=1)
def large_ids(talk):
    if all(isinstance(said.message.get("id"), int | None) for said in talk.said):
        yield talk.everywhere(_all_ids(lambda old: old + 2**40))


@operator(LEGAL, "the agent sends an empty thought", version=1)
def empty_thought(talk):
    for chunk in talk.updates("agent_message_chunk")[:2]:
        if talk.in_turn(chunk):
            update = {
                "sessionUpdate": "agent_thought_chunk",
                "content": {"type": "text", "text": ""},
            }
            params = {"sessionId": chunk.session, "update": update}
            message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
            yield talk.before(chunk, AGENT, message)


# ----------------------------------------------------------------------- found by a second reader


@operator(FRM, "a message inside a JSON string")
def twice_encoded(talk):
    for said in talk.said:
        yield talk.raw(said, line_of(line_of(said.message).decode().rstrip()))


@operator(LIF, "a turn ends before its permission is answered", version=1)
def permission_answered_late(talk):
    for _, end, between in talk.turns():
        for said in between:
            if said.request and said.method == _PERMISSION:
                yield talk.move(said, end)


@operator(LIF, "two terminals get the same id", version=1)
def same_terminal(talk):
    created = talk.results("terminal/create")
    for first in created:
        ident = {"id": "again"}
        asked = {**first.request.message, **ident}
        answer = {**first.message, **ident}
        edit = talk.after(first, AGENT, asked)[first.place]
        yield {first.place: [*edit, *talk.after(first, CLIENT, answer)[first.place][1:]]}


@operator(LEGAL, "a cancel crosses with the response", version=1)
def crossing_cancel(talk):
    for prompt, end, _ in talk.turns():
        if end.result["stopReason"] == "end_turn" and not talk.is_cancelled(prompt):
            params = {"sessionId": prompt.session}
            cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": params}
            yield talk.before(end, CLIENT, cancel)


@operator(LEGAL, "a client requests version 2 as in version 1, and gets version 1", version=1)
def newer_version_requested(talk):
    for said in talk.requests("initialize"):
        if said.params.get("protocolVersion") == 1:
            yield talk.change(said, lambda message: message["params"].update(protocolVersion=2))
