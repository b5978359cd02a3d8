"""Differences that the specification allows: nothing may be found."""

import json

import msgspec

from acp_spy.capture.records import Stderr
from benchmarks.mutating import AGENT, CLIENT, LEGAL, advertise_extension, line_of, operator
from benchmarks.operators.lifecycle import exchange


def _legal(what, *rows, version=0):
    return operator(LEGAL, what, *rows, version=version)


def _reversed(value):
    if isinstance(value, dict):
        return {key: _reversed(one) for key, one in reversed(value.items())}
    if isinstance(value, list):
        return [_reversed(one) for one in value]
    return value


def _update(said, **fields):
    params = {"sessionId": said.session, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


@_legal("the keys of all objects in another order", "RPC-02")
def other_order(talk):
    yield talk.everywhere(lambda said: _reversed(said.message))


@_legal("blanks between the parts of a message", "FRM-02")
def blanks(talk):
    yield talk.everywhere(
        lambda said: b" " + json.dumps(said.message, separators=(" , ", " : ")).encode() + b" \t\n"
    )


@_legal("every character that is not ASCII is escaped", "FRM-01")
def escaped(talk):
    yield talk.everywhere(lambda said: json.dumps(said.message).encode() + b"\n")


@_legal("no character is escaped that need not be", "FRM-01")
def unescaped(talk):
    yield talk.everywhere(lambda said: line_of(said.message))


@_legal("slashes are escaped", "FRM-01")
def escaped_slashes(talk):
    yield talk.everywhere(lambda said: line_of(said.message).replace(b"/", b"\\/"))


@_legal("letters are escaped", "FRM-01")
def escaped_letters(talk):
    yield talk.everywhere(
        lambda said: (
            line_of(said.message)
            .replace(b'"method"', b'"m\\u0065thod"')
            .replace(b'"result"', b'"r\\u0065sult"')
        )
    )


def _with_ids(new):
    def edits(talk):
        yield talk.everywhere(
            lambda said: (
                {**said.message, "id": new(said.message["id"])}
                if "id" in said.message
                else said.message
            )
        )

    return edits


_legal("all ids are strings", "RPC-04")(_with_ids(lambda ident: f"req-{ident}"))
_legal("all ids are large numbers", "RPC-04")(
    _with_ids(lambda ident: 9_000_000_000 + ident if isinstance(ident, int) else ident)
)
_legal("all ids are negative numbers", "RPC-04")(
    _with_ids(lambda ident: -1 - ident if isinstance(ident, int) else ident)
)


@_legal("unknown keys in `_meta`", "EXT-01", "EXT-03")
def meta(talk):
    for said in talk.said:
        for key in ("params", "result"):
            if isinstance(said.message.get(key), dict) and said.method:
                value = {"vendor.example/trace": [1, {"a": None}], "note": "x"}
                yield talk.change(
                    said, lambda m, key=key, value=value: m[key].setdefault("_meta", value)
                )


@_legal("`_meta` in an update", "EXT-01")
def meta_in_update(talk):
    for said in talk.updates():
        yield talk.change(
            said, lambda m: m["params"]["update"].setdefault("_meta", {"vendor": {"n": 1}})
        )


@_legal("`_meta` is null", "EXT-01")
def meta_null(talk):
    for said in talk.updates("agent_message_chunk", "tool_call", "tool_call_update"):
        yield talk.change(said, lambda m: m["params"]["update"].setdefault("_meta", None))


@_legal("a trace context in `_meta`", "EXT-04")
def trace(talk):
    value = {
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate": "a=b",
    }
    for said in talk.requests("session/prompt"):
        yield talk.change(said, lambda m: m["params"].update(_meta=value))


@_legal("a custom request that is refused", "EXT-05", "EXT-06")
def custom_request(talk):
    for said in talk.requests("session/prompt"):
        error = {"error": {"code": -32601, "message": "Method not found"}}
        yield advertise_extension(
            talk, exchange(talk, said, CLIENT, "_vendor.example/ping", {}, error)
        )


@_legal("a custom request of the agent that is answered", "EXT-05", "EXT-06")
def custom_request_of_agent(talk):
    for said in talk.updates("agent_message_chunk", "agent_message"):
        yield advertise_extension(
            talk, exchange(talk, said, AGENT, "_vendor.example/ask", {"a": 1}, {"result": {"b": 2}})
        )


@_legal("a custom notification", "EXT-05", "EXT-07")
def custom_notification(talk):
    for said in talk.updates():
        message = {
            "jsonrpc": "2.0",
            "method": "_vendor.example/progress",
            "params": {"percent": 50},
        }
        yield advertise_extension(talk, talk.after(said, AGENT, message))


@_legal("optional updates are left out", "PRM-05")
def left_out(talk):
    for kind in (
        "usage_update",
        "plan",
        "session_info_update",
        "available_commands_update",
        "agent_thought_chunk",
        "notice",
    ):
        updates = [said for said in talk.updates(kind) if not talk.in_replay(said)]
        slash = any(
            str(said.params["prompt"][0].get("text", "")).startswith("/")
            for said in talk.requests("session/prompt")
            if isinstance(said.params.get("prompt"), list) and said.params["prompt"]
        )
        if updates and not (kind == "available_commands_update" and slash):
            yield talk.drop(*updates)


@_legal("the text of a chunk comes in two pieces", "PRM-08")
def split_text(talk):
    for said in talk.updates("agent_message_chunk"):
        text = (said.update.get("content") or {}).get("text") or ""
        if len(text) > 3 and not talk.in_replay(said):
            content = said.update["content"]
            parts = [
                _update(said, **{**said.update, "content": {**content, "text": part}})
                for part in (text[:2], text[2:])
            ]
            yield talk.raw(said, *(line_of(part) for part in parts))


@_legal("a chunk with empty text", "CNT-02")
def empty_text(talk):
    for said in talk.updates("agent_message_chunk"):
        content = {"type": "text", "text": ""}
        if not talk.in_replay(said):
            yield talk.before(said, AGENT, _update(said, **{**said.update, "content": content}))


@_legal("a long line that the reader took", "FRM-10")
def long_line(talk):
    for said in talk.updates("agent_message_chunk"):
        text = (said.update.get("content") or {}).get("text")
        if text and not talk.in_replay(said) and talk.in_turn(said):
            long = " ".join(str(number) for number in range(20_000))
            yield talk.change(
                said, lambda m, long=long: m["params"]["update"]["content"].update(text=long)
            )


@_legal("log lines on stderr", "FRM-06")
def stderr(talk):
    for said in talk.said:
        yield {said.place: [said.frame, Stderr(said.frame.t, b'INFO still here {"a": 1}\n')]}


@_legal("a tool call of the kind `other`, `think` or without a kind", "TLC-05")
def other_kinds(talk):
    for number, said in enumerate(talk.updates("tool_call")):
        kind = ("other", "think", "fetch", None)[number % 4]
        if kind:
            yield talk.change(said, lambda m, kind=kind: m["params"]["update"].update(kind=kind))
        else:
            yield talk.change(said, lambda m: m["params"]["update"].pop("kind", None))


@_legal("optional fields of a tool call are null", "TLC-04", version=1)
def nulls(talk):
    for said in talk.updates("tool_call_update"):
        fields = {
            key: None
            for key in ("title", "kind", "rawOutput", "locations")
            if key not in said.update
        }
        yield talk.change(said, lambda m, fields=fields: m["params"]["update"].update(fields))


@_legal("a tool call is updated without a change", "TLC-04")
def same_again(talk):
    for said in talk.updates("tool_call_update"):
        if not talk.in_replay(said):
            ident = said.update["toolCallId"]
            yield talk.after(
                said,
                AGENT,
                _update(
                    said, sessionUpdate="tool_call_update", toolCallId=ident, title="A better title"
                ),
            )


@_legal("a tool call fails instead of completing", "TLC-06")
def failed(talk):
    for said in talk.updates("tool_call_update"):
        ident = said.update.get("toolCallId")
        later = [
            one
            for one in talk.updates("tool_call", "tool_call_update")
            if one.place > said.place and one.update.get("toolCallId") == ident
        ]
        if said.update.get("status") == "completed" and not later and not talk.in_replay(said):
            yield talk.change(said, lambda m: m["params"]["update"].update(status="failed"))


@_legal("a turn ends with another stop reason that is allowed", "PRM-04", "PRM-05", version=1)
def other_stop_reason(talk):
    for number, (prompt, answer, _) in enumerate(talk.turns()):
        if not talk.is_cancelled(prompt):
            reason = ("max_tokens", "refusal", "max_turn_requests")[number % 3]
            yield talk.change(
                answer, lambda m, reason=reason: m["result"].update(stopReason=reason)
            )


@_legal("a prompt fails with an internal error after output", "PRM-05", version=1)
def failed_turn(talk):
    for prompt, answer, between in list(talk.turns())[1:]:
        earlier = [
            one
            for one in talk.requests("session/prompt")
            if one.place < prompt.place and one.session == prompt.session
        ]
        if (
            not talk.is_cancelled(prompt)
            and between
            and earlier
            and not talk.is_cancelled(earlier[-1])
        ):
            error = {"code": -32603, "message": "The model did not answer", "data": {"status": 502}}
            yield talk.send(answer, {"jsonrpc": "2.0", "id": answer.message["id"], "error": error})


@_legal("a user's message is echoed", "PRM-08", version=1)
def echo(talk):
    for prompt in talk.requests("session/prompt"):
        text = next((one for one in prompt.params["prompt"] if one["type"] == "text"), None)
        if text and not [
            one for one in talk.updates("user_message_chunk") if not talk.in_replay(one)
        ]:
            yield talk.after(
                prompt, AGENT, _update(prompt, sessionUpdate="user_message_chunk", content=text)
            )


@_legal("commands, modes and usage are sent outside a turn", "PRM-07", "CMD-01")
def outside_turn(talk):
    for _, answer, _ in talk.turns():
        prompt = answer.request
        yield talk.after(
            answer,
            AGENT,
            _update(prompt, sessionUpdate="usage_update", used=10, size=1000),
            _update(prompt, sessionUpdate="session_info_update", title="A title"),
        )


@_legal("two requests are answered in another order", "RPC-08")
def answers_out_of_order(talk):
    for said in talk.requests("session/prompt"):
        caps = (talk.results("initialize")[0].result.get("agentCapabilities") or {}).get(
            "sessionCapabilities"
        ) or {}
        if caps.get("list") is None or said.place not in talk.answers:
            continue
        lists = [
            {"jsonrpc": "2.0", "id": ident, "method": "session/list", "params": {}}
            for ident in (70_001, 70_002)
        ]
        answers = [
            {"jsonrpc": "2.0", "id": ident, "result": {"sessions": []}}
            for ident in (70_002, 70_001)
        ]
        edit = talk.before(said, CLIENT, *lists)
        edit[said.place][2:2] = talk.before(said, AGENT, *answers)[said.place][:2]
        yield edit


@_legal("a second session in the same connection", "SES-02")
def second_session(talk):
    for said in talk.requests("session/prompt"):
        new = next(iter(talk.results("session/new")), None)
        if new:
            result = {**new.result, "sessionId": "another-session"}
            yield exchange(
                talk, said, CLIENT, "session/new", new.request.params, {"result": result}
            )


@_legal("the session ids have another form", "SES-02")
def other_session_ids(talk):
    new = next(iter(talk.results("session/new")), None)
    if new:
        old = msgspec.json.encode(new.result["sessionId"])
        yield talk.everywhere(
            lambda said: line_of(said.message).replace(old, '"session/ü 1"'.encode())
        )


@_legal(
    "the client asks for a newer version, and the agent answers with its own", "INI-08", version=1
)
def newer_version(talk):
    for said in talk.requests("initialize")[:1]:
        info = said.params.get("clientInfo") or {"name": "editor", "version": "1.0"}
        newer = {"protocolVersion": 2, "info": info, "capabilities": {}}
        yield talk.change(said, lambda m, newer=newer: m["params"].update(newer))


@_legal("capabilities that are optional are left out", "INI-11", version=1)
def fewer_capabilities(talk):
    for said in talk.requests("initialize")[:1]:
        if "auth" in (said.params.get("clientCapabilities") or {}) and not any(
            one.get("type") == "terminal"
            for one in talk.results("initialize")[0].result.get("authMethods") or ()
        ):
            yield talk.change(said, lambda m: m["params"]["clientCapabilities"].pop("auth"))


@_legal("a permission is rejected, and the tool call fails", "PER-04", version=1)
def rejected(talk):
    for said in talk.results("session/request_permission"):
        ident = said.request.params["toolCall"]["toolCallId"]
        kinds = {one["optionId"]: one.get("kind", "") for one in said.request.params["options"]}
        reject = [one for one, kind in kinds.items() if kind.startswith("reject")]
        later = [
            one
            for one in talk.updates("tool_call", "tool_call_update")
            if one.place > said.place and one.update.get("toolCallId") == ident
        ]
        ends = [one for one in later if one.update.get("status") in ("completed", "failed")]
        inner = [
            one
            for one in talk.requests()
            if ends and said.place < one.place < ends[-1].place and one.sender is AGENT
        ]
        known = [one for one in talk.updates("tool_call") if one.update.get("toolCallId") == ident]
        if "optionId" in said.result["outcome"] and reject and ends and known and not inner:
            edit = talk.drop(
                *(one for one in later if one is not ends[-1] and one.kind != "tool_call")
            )
            edit.update(
                talk.change(
                    said, lambda m, reject=reject: m["result"]["outcome"].update(optionId=reject[0])
                )
            )
            edit.update(
                talk.change(ends[-1], lambda m: m["params"]["update"].update(status="failed"))
            )
            if all(one.kind != "tool_call" for one in later):
                yield edit


@_legal("`$/cancel_request` for a request that is pending, which is answered", "CAN-09", "CAN-10")
def cancel_request(talk):
    for said in talk.results("session/list", "fs/read_text_file"):
        message = {
            "jsonrpc": "2.0",
            "method": "$/cancel_request",
            "params": {"requestId": said.message["id"]},
        }
        yield talk.after(said.request, said.request.sender, message)
        error = {"code": -32800, "message": "Request cancelled"}
        refused = talk.send(said, {"jsonrpc": "2.0", "id": said.message["id"], "error": error})
        if said.method == "fs/read_text_file":
            yield {**refused, **talk.after(said.request, said.request.sender, message)}


@_legal("a file is refused with an error", "FS-05", version=1)
def file_not_found(talk):
    for said in talk.results("fs/read_text_file"):
        error = {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///a"}}
        yield talk.send(said, {"jsonrpc": "2.0", "id": said.message["id"], "error": error})


@_legal("a plan grows and shrinks", "PLN-05", version=1)
def changing_plan(talk):
    for said in talk.updates("plan"):
        if not talk.in_replay(said):
            more = [
                *said.update["entries"],
                {"content": "Tidy up", "priority": "low", "status": "pending"},
            ]
            yield talk.change(said, lambda m, more=more: m["params"]["update"].update(entries=more))


@_legal("a Windows path", "SES-03", "TLC-10", version=1)
def windows_path(talk):
    for said in talk.requests("session/new"):
        if not talk.requests(
            "session/load", "session/list", "fs/read_text_file", "fs/write_text_file"
        ) and not [one for one in talk.updates("tool_call") if one.update.get("locations")]:
            yield talk.change(said, lambda m: m["params"].update(cwd="C:\\Users\\dev\\project"))


@_legal("a custom value with an underscore", "EXT-10", "V2-18", version=2)
def custom_value(talk):
    for said in talk.updates("tool_call_update"):
        if "kind" in said.update:
            yield talk.change(said, lambda m: m["params"]["update"].update(kind="_vendor"))
    for said in talk.updates("agent_message"):
        yield talk.after(said, AGENT, _update(said, sessionUpdate="_vendor_progress", percent=50))


@_legal("the echo of a prompt before its response", "V2-06", version=2)
def echo_first(talk):
    for said in talk.responses("session/prompt"):
        echo = next(
            (
                one
                for one in talk.updates("user_message")
                if one.update["messageId"] == said.result["messageId"] and one.place > said.place
            ),
            None,
        )
        if echo:
            yield talk.move_before(echo, said)


@_legal("a repeated `idle` of a resumed session", "V2-11", version=2)
def idle_snapshot(talk):
    for said in talk.updates("state_update"):
        if said.update["state"] == "idle" and talk.in_replay(said):
            yield talk.change(said, lambda m: m["params"]["update"].pop("stopReason", None))


@_legal(
    "a null `result` field by field: optional fields of a response are null", "SES-13", version=1
)
def null_fields(talk):
    for said in talk.results("session/new"):
        if "modes" not in said.result:
            yield talk.change(said, lambda m: m["result"].update(modes=None))
        if "configOptions" not in said.result:
            yield talk.change(said, lambda m: m["result"].update(configOptions=None))
