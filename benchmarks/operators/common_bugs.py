"""
Mistakes of real peers that were reported, and differences that are easily taken for mistakes.

They were written down from the specification and from public issues, before the rules were read.
"""

import json

import msgspec

from benchmarks.mutating import (
    AGENT,
    CLIENT,
    LEGAL,
    line_of,
    operator,
    renamed,
    shape,
)
from benchmarks.operators.capabilities import CAP
from benchmarks.operators.framing import FRM
from benchmarks.operators.jsonrpc import RPC
from benchmarks.operators.lifecycle import LIF
from benchmarks.operators.shapes import SCH

_CALLS = "update tool_call|tool_call_update"
_PERMISSION = "session/request_permission"
_PROMPT = "params session/prompt: prompt"


def _sch(what, where, value, version=1):
    shape(SCH, what, where, value, version=version)


def _update(session, **fields):
    params = {"sessionId": session, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _text(session, text):
    content = {"type": "text", "text": text}
    return _update(session, sessionUpdate="agent_message_chunk", content=content)


def _call(session, name, **fields):
    return _update(session, sessionUpdate="tool_call", toolCallId=name, title="Look", **fields)


# --------------------------------------------------------------------------------------- framing


def _spelled(what, change):
    @operator(FRM, what)
    def edits(talk):
        for said in talk.by(AGENT)[:40]:
            line = change(said.frame.payload)
            if line is not None:
                yield talk.raw(said, line + b"\n")


def _python(payload):
    for true in (b":true", b": true"):
        if true in payload:
            return payload.replace(true, true.replace(b"t", b"T"), 1)
    return None


_spelled("a NUL byte after a message", lambda line: line + b"\x00")
_spelled("a shell prompt before a message, on the same line", lambda line: b"$ " + line)
_spelled("an ANSI reset before a message, on the same line", lambda line: b"\x1b[0m" + line)
_spelled("a message as an event of SSE", lambda line: b"data: " + line)
_spelled("`True` as in Python", _python)
_spelled(
    "overlong UTF-8 in a text",
    lambda line: line.replace(b'"text":"', b'"text":"\xc0\xaf', 1) if b'"text":"' in line else None,
)


def _noise(what, line):
    @operator(FRM, what)
    def edits(talk):
        for said in talk.updates()[:30]:
            yield talk.before(said, AGENT, line)


_noise("an HTML page on stdout", b"<html><body>502 Bad Gateway</body></html>\n")
_noise("a dot on stdout", b".\n")
_noise("`undefined` on stdout", b"undefined\n")
_noise("an empty object on stdout", b"{}\n")


# -------------------------------------------------------------------------------------- JSON-RPC


def _of_agent(what, change):
    @operator(RPC, what)
    def edits(talk):
        for said in talk.by(AGENT):
            if said.request and isinstance(said.result, dict):
                yield talk.change(said, change)


_of_agent("a response has an id of the agent's own", lambda m: m.update(id=990001))
_of_agent("a result is in a list", lambda m: m.update(result=[m["result"]]))
_of_agent("a result is in `data`", lambda m: m.update(result={"data": m["result"]}))
_of_agent("an error that is null, and no result", lambda m: (m.pop("result"), m.update(error=None)))


@operator(RPC, "params are called `args`")
def args(talk):
    for said in talk.by(CLIENT):
        if said.is_request:
            yield talk.change(said, lambda message: message.update(args=message.pop("params", {})))


@operator(RPC, "a method has a prefix")
def prefixed(talk):
    for said in talk.said:
        if "method" in said.message:
            name = f"acp/{said.method}"
            yield talk.change(said, lambda message, name=name: message.update(method=name))


@operator(RPC, "a method is in capitals")
def capitals(talk):
    for said in talk.requests():
        if said.method.upper() != said.method and not said.method.startswith("_"):
            name = said.method.upper()
            yield talk.change(said, lambda message, name=name: message.update(method=name))


def _extra(what, sender, **message):
    @operator(RPC, what)
    def edits(talk):
        for said in talk.updates()[:30] if sender is AGENT else talk.requests("session/new"):
            yield talk.before(said, sender, {"jsonrpc": "2.0", **message})


_extra("the agent logs with a method of its own", AGENT, method="log", params={"text": "x"})
_extra("a message of LSP", AGENT, method="window/showMessage", params={"type": 1, "message": "x"})
_extra("a ping, as in MCP", AGENT, id="ping-1", method="ping")
_extra("`notifications/initialized`, as in MCP", CLIENT, method="notifications/initialized")
_extra("`initialized`, as in LSP", CLIENT, method="initialized", params={})


@operator(RPC, "a permission request is a notification")
def permission_without_id(talk):
    for said in talk.requests(_PERMISSION):
        if said.place in talk.answers:
            lost = talk.drop(talk.answers[said.place])
            yield {**talk.change(said, lambda message: message.pop("id")), **lost}


@operator(RPC, "a response comes before its request")
def early_response(talk):
    for said in talk.by(AGENT):
        if said.request and said.method not in ("initialize", "session/prompt", "session/new"):
            yield talk.move_before(said, said.request)


# ---------------------------------------------------------------------------------------- shapes

_sch("a prompt as for OpenAI", _PROMPT, [{"role": "user", "content": "Hello"}])
_sch("a prompt is null", _PROMPT, None)
_sch("a block of a prompt is null", _PROMPT, lambda old: [*old, None])
_sch("a block of a prompt is a string", _PROMPT, lambda old: [*old, "and this"])
_sch("the usage of a turn is a number", "result session/prompt: +usage", 17)
_sch("a tool call ends with `success`", "update tool_call_update: status", "success")
_sch("a tool call ends with `error`", "update tool_call_update: status", "error")
_sch(
    "a status has a hyphen",
    f"{_CALLS}: status",
    lambda old: "in-progress" if old == "in_progress" else None,
)
_sch("the kind of a tool is `bash`", "update tool_call: kind", "bash")
_sch("the kind of a tool is `write`", "update tool_call: kind", "write")
_sch(
    "the location of a tool call is no list",
    "update tool_call: locations",
    lambda old: old[0] if old else None,
)
_sch("a tool call has `toolName`", "update tool_call: +toolName", "Read")
_sch("a tool call has `input`", "update tool_call: +input", {"path": "/a"})
_sch("an update of a tool call has `result`", "update tool_call_update: +result", "done")
_sch("an update of a tool call has `error`", "update tool_call_update: +error", "failed")


def _content(what, kind, change):
    def changed(old):
        return change(old) if isinstance(old, dict) and old.get("type") == kind else None

    _sch(what, f"{_CALLS}: content/*", changed)


_content("a diff has `new`", "diff", renamed("newText", "new"))
_content(
    "a diff is a patch",
    "diff",
    lambda old: {"type": "diff", "path": old["path"], "patch": "--- a\n+++ b\n"},
)
_content("the path of a diff is null", "diff", lambda old: {**old, "path": None})
_content(
    "content has a list of blocks", "content", lambda old: {**old, "content": [old["content"]]}
)
_content("content has a string", "content", lambda old: {**old, "content": "done"})

_sch(
    "an option has its kind in `type`", f"params {_PERMISSION}: options/*", renamed("kind", "type")
)
_sch(
    "an option has the kind `deny`",
    f"params {_PERMISSION}: options/*/kind",
    lambda old: "deny" if old.startswith("reject") else None,
)
_sch(
    "the kind of an option has a hyphen",
    f"params {_PERMISSION}: options/*/kind",
    lambda old: old.replace("_", "-"),
)
_sch(
    "options are a map",
    f"params {_PERMISSION}: options",
    lambda old: {one["optionId"]: one for one in old},
)
_sch(
    "the tool call of a permission is its id",
    f"params {_PERMISSION}: toolCall",
    lambda old: old["toolCallId"],
)
_sch("a permission is answered with `behavior`", f"result {_PERMISSION}", {"behavior": "allow"})
_sch("a permission is answered with `approved`", f"result {_PERMISSION}", {"approved": True})
_sch(
    "the entries of a plan are in `plan`",
    "update plan",
    lambda old: {"sessionUpdate": "plan", "plan": {"entries": old["entries"]}},
)
_sch("a priority is a number", "update plan: entries/*/priority", 1)
_sch("the modes are the current one", "result session/new: modes", lambda old: old["currentModeId"])
_sch("the current mode is null", "result session/new: modes/currentModeId", None)
_sch("the capabilities of the agent are `true`", "result initialize: agentCapabilities", True)
_sch(
    "the capabilities of prompts are a list",
    "result initialize: agentCapabilities/promptCapabilities",
    ["image"],
)
_sch("`loadSession` is an object", "result initialize: agentCapabilities/loadSession", {})
_sch("the agent answers with version `v1`", "result initialize: protocolVersion", "v1")
_sch("the agent answers with version 1.0", "result initialize: protocolVersion", 1.0)
_sch("the agent answers with no version", "result initialize: protocolVersion", None)
_sch("MCP servers are names", "params session/new: mcpServers", ["filesystem"])
_sch(
    "MCP servers as in other settings",
    "params session/new: mcpServers",
    {"files": {"command": "/bin/files", "args": []}},
)
_sch(
    "commands are a map",
    "update available_commands_update: availableCommands",
    lambda old: {one["name"]: one for one in old},
)
_sch("usage has `usedTokens`", "update usage_update", renamed("used", "usedTokens"))
_sch("usage is a fraction", "update usage_update: used", 1.5)
_sch("the amount of a cost is a string", "update usage_update: cost/amount", "0.1")
_sch("a file is answered in Base64", "result fs/read_text_file", {"data": "aGVsbG8="})
_sch("an exit code is called `code`", "result terminal/wait_for_exit", {"code": "0"})
_sch(
    "a chunk has a delta",
    "update agent_message_chunk",
    lambda old: {"sessionUpdate": old["sessionUpdate"], "delta": {"text": "x"}},
)
_sch("an update is a `tool_result`", "update tool_call_update: sessionUpdate", "tool_result")
_sch(
    "an update is an `assistant_message`",
    "update agent_message_chunk: sessionUpdate",
    "assistant_message",
)

# ------------------------------------------------------------------------------------- lifecycle


@operator(LIF, "a prompt is answered at once, and all updates come after", version=1)
def answered_at_once(talk):
    for prompt, answer, between in talk.turns():
        sent = [said for said in between if said.sender is AGENT]
        asked = any(said.is_request for said in sent)
        if len(sent) > 3 and not asked and not talk.is_cancelled(prompt):
            yield talk.move_before(answer, sent[0])


@operator(LIF, "`session/new` is answered after the first prompt", version=1)
def late_session(talk):
    for said in talk.requests("session/new")[:1]:
        answer = talk.answers.get(said.place)
        name = answer and answer.result and answer.result.get("sessionId")
        prompts = [one for one in talk.requests("session/prompt") if one.session == name]
        if prompts:
            yield talk.move(answer, prompts[0])


@operator(LIF, "a session id has a space at its end", version=1)
def space(talk):
    for said in talk.requests("session/prompt")[:1]:
        name = f"{said.session} "
        yield talk.change(said, lambda message, name=name: message["params"].update(sessionId=name))


@operator(LIF, "an option is selected by its place", version=1)
def option_by_place(talk):
    for said in talk.results(_PERMISSION):
        if "optionId" in said.result.get("outcome", {}):
            yield talk.change(said, lambda m: m["result"]["outcome"].update(optionId="0"))


@operator(LIF, "an option is selected by its kind", version=1)
def option_by_kind(talk):
    for said in talk.results(_PERMISSION):
        ids = [one["optionId"] for one in said.request.params["options"]]
        if "optionId" in said.result.get("outcome", {}) and "allow_once" not in ids:
            yield talk.change(said, lambda m: m["result"]["outcome"].update(optionId="allow_once"))


@operator(LIF, "a tool call ends as pending", version=1)
def ends_pending(talk):
    for said in talk.updates("tool_call_update"):
        if said.update.get("status") == "completed" and talk.in_turn(said):
            yield talk.change(said, lambda m: m["params"]["update"].update(status="pending"))


@operator(LIF, "a file is written before its permission is answered", version=1)
def early_write(talk):
    for said in talk.requests("fs/write_text_file"):
        asked = [
            one
            for one in talk.requests(_PERMISSION)
            if one.place < said.place and said.params["path"] in json.dumps(one.params)
        ]
        answer = talk.answers.get(asked[-1].place) if asked else None
        written = talk.answers.get(said.place)
        if answer and written and answer.place < said.place:
            moved = [
                msgspec.structs.replace(one.frame, t=answer.frame.t) for one in (said, written)
            ]
            yield {answer.place: [*moved, answer.frame], said.place: [], written.place: []}


def _path(what, change, *methods):
    @operator(LIF, what, version=1)
    def edits(talk):
        for said in talk.requests(*methods):
            path = change(said.params["path"])
            yield talk.change(said, lambda message, path=path: message["params"].update(path=path))


_FILES = ("fs/read_text_file", "fs/write_text_file")
_path("a path has backslashes", lambda path: path.replace("/", "\\"), *_FILES)
_path("a path has a tilde", lambda _: "~/notes.txt", *_FILES)
_path("a path is empty", lambda _: "", "fs/read_text_file")
_path(
    "a path climbs out of the folder",
    lambda path: f"{path.rpartition('/')[0]}/../../../etc/passwd",
    "fs/write_text_file",
)
shape(LIF, "a location is a URI", "update tool_call: locations/*/path", "file:///a/b", version=1)
shape(LIF, "a location has an empty path", "update tool_call: locations/*/path", "", version=1)
shape(LIF, "the folder of a session is empty", "params session/new: cwd", "", version=1)
shape(LIF, "the folder of a session is a variable", "params session/new: cwd", "$HOME/a", version=1)
shape(
    LIF,
    "the command of an MCP server is `npx`",
    "params session/new: mcpServers",
    [{"name": "files", "command": "npx", "args": ["-y", "files"], "env": []}],
    version=1,
)


@operator(LIF, "a cancelled turn ends with `refusal`", version=1)
def refused_cancel(talk):
    for prompt, answer, _ in talk.turns():
        if talk.is_cancelled(prompt) and answer.result["stopReason"] == "cancelled":
            yield talk.change(answer, lambda m: m["result"].update(stopReason="refusal"))


@operator(LIF, "a cancelled turn ends with -32800", version=1)
def cancelled_request(talk):
    for prompt, answer, _ in talk.turns():
        if talk.is_cancelled(prompt) and answer.result["stopReason"] == "cancelled":
            error = {"code": -32800, "message": "Request cancelled"}
            yield talk.send(answer, {"jsonrpc": "2.0", "id": answer.message["id"], "error": error})


def _chunks(between):
    return [
        said
        for said in between
        if said.kind == "agent_message_chunk" and said.update["content"].get("type") == "text"
    ]


@operator(LIF, "every chunk is sent twice", version=1)
def doubled(talk):
    for _, _, between in talk.turns():
        chunks = _chunks(between)
        in_a_row = len(chunks) >= 5 and chunks[4].place - chunks[0].place == 4
        if in_a_row:
            yield {said.place: [said.frame, said.frame] for said in chunks}


@operator(LIF, "every chunk has all of the text so far", version=1)
def growing(talk):
    for _, _, between in talk.turns():
        chunks = _chunks(between)
        so_far, edit = "", {}
        for said in chunks:
            so_far += said.update["content"]["text"]
            block = {"type": "text", "text": so_far}
            edit.update(
                talk.change(
                    said, lambda m, block=block: m["params"]["update"].update(content=block)
                )
            )
        if len(chunks) >= 8 and chunks[7].place - chunks[0].place == 7 and len(so_far) > 80:
            yield edit


@operator(LIF, "the client closes a session that it does not have", version=1)
def foreign_close(talk):
    for said in talk.requests("session/close"):
        yield talk.change(said, lambda message: message["params"].update(sessionId="not-mine"))


@operator(LIF, "a terminal is killed instead of released", version=1)
def killed(talk):
    for said in talk.requests("terminal/release"):
        yield talk.change(said, lambda message: message.update(method="terminal/kill"))


@operator(CAP, "the capabilities of sessions are directly in the agent's", version=1)
def flat_capabilities(talk):
    for said in talk.results("initialize"):
        known = said.result.get("agentCapabilities", {})
        inner = known.get("sessionCapabilities")
        if inner:
            flat = {**known, **inner}
            del flat["sessionCapabilities"]
            yield talk.change(
                said, lambda message, flat=flat: message["result"].update(agentCapabilities=flat)
            )


@operator(SCH, "the state is in `status`", version=2)
def state_as_status(talk):
    for said in talk.updates("state_update"):
        new = renamed("state", "status")(said.update)
        yield talk.change(said, lambda message, new=new: message["params"].update(update=new))


# ----------------------------------------------------------------------------------- differences


def _in_turn(what, *messages):
    @operator(LEGAL, what, version=1)
    def edits(talk):
        loads = talk.requests("session/load", "session/resume")
        for prompt, answer, _ in talk.turns():
            if not talk.is_cancelled(prompt) and not loads:
                yield talk.before(answer, AGENT, *(make(prompt.session) for make in messages))


def _changes(session, name, **fields):
    return _update(session, sessionUpdate="tool_call_update", toolCallId=name, **fields)


_DONE = {"status": "completed"}
_OUTPUT = [{"type": "content", "content": {"type": "text", "text": "out"}}]
_in_turn("a tool call is announced as completed", lambda s: _call(s, "legal-1", **_DONE))
_in_turn(
    "a tool call without a status is completed",
    lambda s: _call(s, "legal-2"),
    lambda s: _changes(s, "legal-2", **_DONE),
)
_in_turn(
    "a pending tool call fails",
    lambda s: _call(s, "legal-3", status="pending"),
    lambda s: _changes(s, "legal-3", status="failed"),
)
_in_turn(
    "a tool call is about a file outside of the folder",
    lambda s: _call(s, "legal-4", **_DONE, locations=[{"path": "/etc/hosts", "line": 1}]),
)
_in_turn(
    "the content of a tool call comes after its end",
    lambda s: _call(s, "legal-5", **_DONE),
    lambda s: _changes(s, "legal-5", content=_OUTPUT),
)
_in_turn(
    "the end of a tool call is reported twice",
    lambda s: _call(s, "legal-6", **_DONE),
    lambda s: _changes(s, "legal-6", **_DONE),
)
_in_turn("two chunks of line feeds", lambda s: _text(s, "\n\n"), lambda s: _text(s, "\n\n"))
_in_turn(
    "all entries of a plan are completed",
    lambda s: _update(
        s,
        sessionUpdate="plan",
        entries=[{"content": "a", "priority": "high", "status": "completed"}],
    ),
)
_in_turn(
    "usage without a cost",
    lambda s: _update(s, sessionUpdate="usage_update", used=10, size=200000, _meta={"x": 1}),
)
_in_turn(
    "a title in another script, with an offset of time",
    lambda s: _update(
        s,
        sessionUpdate="session_info_update",
        title="\u30c6\u30b9\u30c8",
        updatedAt="2026-01-05T09:30:00+01:00",
    ),
)


@operator(LEGAL, "a title comes outside of a turn, and is cleared", version=1)
def title(talk):
    for prompt, answer, _ in talk.turns():
        info = {"sessionUpdate": "session_info_update"}
        made = [_update(prompt.session, **info, title=title) for title in ("Look", None)]
        yield talk.after(answer, AGENT, *made)


@operator(LEGAL, "a prompt has a link to a file", version=1)
def linked(talk):
    link = {
        "type": "resource_link",
        "uri": "file:///home/dev/project/a.txt",
        "name": "a.txt",
        "size": 12,
    }
    for said in talk.requests("session/prompt"):
        yield talk.change(said, lambda message: message["params"]["prompt"].append(link))


@operator(LEGAL, "a prompt begins with a path", version=1)
def path_first(talk):
    if not talk.requests("session/load", "session/resume"):
        text = {"type": "text", "text": "/home/dev/project/a.txt has a typo"}
        for said in talk.requests("session/prompt"):
            yield talk.change(said, lambda message: message["params"].update(prompt=[text]))


@operator(LEGAL, "a turn is refused after some text", version=1)
def refused(talk):
    for _, answer, between in talk.turns():
        if answer.result["stopReason"] == "end_turn" and _chunks(between):
            yield talk.change(
                answer, lambda message: message["result"].update(stopReason="refusal")
            )


@operator(LEGAL, "a turn is cancelled, and ends at once", version=1)
def cancelled(talk):
    for prompt, answer, between in talk.turns():
        quiet = not any(said.is_request or said.kind == "tool_call" for said in between)
        if quiet and answer.result["stopReason"] == "end_turn":
            params = {"sessionId": prompt.session}
            cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": params}
            (made, _) = talk.before(answer, CLIENT, cancel)[answer.place]
            line = line_of({**answer.message, "result": {"stopReason": "cancelled"}})
            yield {answer.place: [made, msgspec.structs.replace(answer.frame, raw=line)]}


def _offered(what, **option):
    @operator(LEGAL, what, version=1)
    def edits(talk):
        for said in talk.requests(_PERMISSION):
            yield talk.change(said, lambda message: message["params"]["options"].append(option))


_offered("a permission can be rejected for ever", optionId="x1", name="No", kind="reject_always")
_offered("two options have the same kind", optionId="x2", name="Here", kind="allow_always")


@operator(LEGAL, "the tool call of a permission has its content and input", version=1)
def full_permission(talk):
    more = {"content": _OUTPUT, "rawInput": {"command": "ls"}}
    for said in talk.requests(_PERMISSION):
        yield talk.change(said, lambda message: message["params"]["toolCall"].update(more))


@operator(LEGAL, "a file that does not exist is refused with -32002", version=1)
def no_file(talk):
    for said in talk.responses("fs/read_text_file"):
        error = {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///x"}}
        yield talk.send(said, {"jsonrpc": "2.0", "id": said.message["id"], "error": error})


@operator(LEGAL, "commands are sent again, and are fewer", version=1)
def fewer_commands(talk):
    for said in talk.updates("available_commands_update"):
        some = (said.update.get("availableCommands") or [])[:1]
        again = _update(
            said.session, sessionUpdate="available_commands_update", availableCommands=some
        )
        yield talk.after(said, AGENT, again)


shape(
    LEGAL,
    "an MCP server has variables",
    "params session/new: mcpServers",
    [{"name": "x", "command": "/bin/x", "args": ["-v"], "env": [{"name": "A", "value": "1"}]}],
    version=1,
)


@operator(LEGAL, "both peers count their ids from 0")
def same_ids(talk):
    counts = {CLIENT: 0, AGENT: 0}
    ids = {}

    def changed(said):
        asked = said.request or said
        if not (said.request or said.is_request):
            return said.message
        if asked.place not in ids:
            ids[asked.place] = counts[asked.sender]
            counts[asked.sender] += 1
        return {**said.message, "id": ids[asked.place]}

    yield talk.everywhere(changed)
