"""Mistakes in order, references and content, in version 1."""

from itertools import pairwise

import msgspec

from benchmarks.mutating import AGENT, CLIENT, operator, shape

LIF = "LIF"
TEXT = "agent_message_chunk"


def _lif(what, where, value, *rows, version=1):
    shape(LIF, what, where, value, *rows, version=version)


def _error(said, code, message, **data):
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": said.message["id"], "error": error}


def _update(said, **fields):
    params = {"sessionId": said.session, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def exchange(talk, said, sender, method, params, answer):
    """Return an edit that sends a request and its response before `said`."""
    edit = talk.before(
        said, sender, {"jsonrpc": "2.0", "id": 70_001, "method": method, "params": params}
    )
    reply = {"jsonrpc": "2.0", "id": 70_001, **answer}
    edit[said.place][1:1] = talk.before(said, sender.other, reply)[said.place][:1]
    return edit


# ------------------------------------------------------------------------------------- handshake


@operator(LIF, "`session/new` before `initialize` is answered", "INI-01", "SES-01")
def early_session(talk):
    (answer, *_), (new, *_) = talk.results("initialize"), talk.requests("session/new") or (None,)
    if new and not talk.requests("authenticate", "auth/login"):
        yield talk.move(answer, new)


@operator(LIF, "`initialize` is never sent", "INI-01", version=1)
def no_handshake(talk):
    (request, *_) = talk.requests("initialize")
    yield talk.drop(request, talk.answers[request.place])


@operator(LIF, "`initialize` is sent twice", "INI-17")
def second_handshake(talk):
    (request, *_), (answer, *_) = talk.requests("initialize"), talk.results("initialize")
    for said in talk.requests("session/prompt"):
        yield exchange(talk, said, CLIENT, "initialize", request.params, {"result": answer.result})


@operator(LIF, "the handshake of the client has no capabilities", "INI-03", version=1)
def no_client_capabilities(talk):
    """If the agent uses one of them, that is another mistake."""
    (said, *_) = talk.requests("initialize")
    uses = talk.requests(
        "fs/read_text_file", "fs/write_text_file", "terminal/create", "elicitation/create"
    )
    uses += talk.updates("notice", "compaction_update")
    if not uses and "clientCapabilities" in said.params:
        yield talk.change(said, lambda m: m["params"].pop("clientCapabilities"))


@operator(LIF, "the handshake of the agent has no capabilities", "INI-05", version=1)
def no_capabilities(talk):
    for said in talk.results("initialize"):
        uses = talk.requests(
            "session/load",
            "session/list",
            "session/close",
            "session/resume",
            "session/delete",
            "logout",
        )
        blocks = [
            b
            for p in talk.requests("session/prompt")
            for b in p.params["prompt"]
            if b["type"] not in ("text", "resource_link")
        ]
        if not uses and not blocks:
            yield talk.change(
                said, lambda message: message["result"].pop("agentCapabilities", None)
            )


_lif(
    "the client does not say who it is",
    "params initialize",
    lambda old: (
        {k: v for k, v in old.items() if k != "clientInfo"} if "clientInfo" in old else None
    ),
    "INI-04",
)
_lif(
    "the agent does not say who it is",
    "result initialize",
    lambda old: {k: v for k, v in old.items() if k != "agentInfo"} if "agentInfo" in old else None,
    "INI-06",
)
_lif("the agent selects version 0", "result initialize: protocolVersion", 0, "INI-08")
_lif("the client asks for version 0", "params initialize: protocolVersion", 0, "INI-02")
_lif(
    "the agent selects a version that the client does not have",
    "result initialize: protocolVersion",
    3,
    "INI-08",
    "INI-10",
)


@operator(LIF, "`session/new` is not implemented", "INI-15")
def no_new(talk):
    for said in talk.responses("session/new")[:1]:
        later = talk.drop(*(one for one in talk.said if one.place > said.place))
        yield {**later, **talk.send(said, _error(said, -32601, "Method not found"))}


@operator(LIF, "`session/prompt` is not implemented", "INI-15")
def no_prompt(talk):
    for prompt, said, between in talk.turns():
        if not talk.is_cancelled(prompt):
            yield {
                **talk.drop(*between),
                **talk.send(said, _error(said, -32601, "Method not found")),
            }


@operator(LIF, "a prompt of text is refused as invalid", "INI-16", "CNT-01", version=1)
def prompt_refused(talk):
    for prompt, said, between in talk.turns():
        blocks = {block["type"] for block in prompt.params["prompt"]}
        if blocks <= {"text", "resource_link"} and not talk.is_cancelled(prompt):
            yield {**talk.drop(*between), **talk.send(said, _error(said, -32602, "Invalid params"))}


@operator(LIF, "`session/new` fails with an internal error", "X-08")
def new_failed(talk):
    for said in talk.responses("session/new")[:1]:
        later = talk.drop(*(one for one in talk.said if one.place > said.place))
        yield {**later, **talk.send(said, _error(said, -32603, "Internal error"))}


@operator(LIF, "the first prompt fails with an internal error", "X-08")
def first_prompt_failed(talk):
    for prompt, said, between in list(talk.turns())[:1]:
        if not talk.is_cancelled(prompt):
            yield {**talk.drop(*between), **talk.send(said, _error(said, -32603, "Internal error"))}


_lif("`authenticate` with a terminal method", "params authenticate: methodId", "console", "AUT-03")
_lif(
    "`authenticate` with a method that was not offered",
    "params authenticate: methodId",
    "api-key",
    "AUT-04",
)


@operator(LIF, "a login is required, but no method is offered", "AUT-11")
def no_way_to_log_in(talk):
    for said in talk.responses("session/new")[:1]:
        if not talk.results("initialize")[0].result.get("authMethods"):
            later = talk.drop(*(one for one in talk.said if one.place > said.place))
            yield {**later, **talk.send(said, _error(said, -32000, "Authentication required"))}


@operator(LIF, "a login succeeds without effect", "AUT-06")
def useless_login(talk):
    if talk.requests("authenticate", "auth/login"):
        for said in talk.responses("session/new")[:1]:
            later = talk.drop(*(one for one in talk.said if one.place > said.place))
            yield {**later, **talk.send(said, _error(said, -32000, "Authentication required"))}


# -------------------------------------------------------------------------------------- sessions


@operator(LIF, "two sessions have the same id", "SES-02")
def same_session_id(talk):
    for said in talk.requests("session/prompt"):
        new, *_ = talk.results("session/new") or (None,)
        if new:
            params = new.request.params
            yield exchange(talk, said, CLIENT, "session/new", params, {"result": new.result})


for _path in ("project", "~/project", "./", "file:///home/dev/project"):
    _lif(
        f"the folder of a session is `{_path}`",
        "params session/new|session/load|session/resume: cwd",
        _path,
        "SES-03",
        version=0,
    )
_lif(
    "an additional directory is relative",
    "params session/new: additionalDirectories/*",
    "library",
    "SES-18",
    version=0,
)
_lif(
    "the command of an MCP server is relative",
    "params session/new: mcpServers/*/command",
    "files-mcp",
    "SES-23",
    version=0,
)
_lif(
    "the folder of a listed session is relative",
    "result session/list: sessions/*/cwd",
    "project",
    "LST-03",
    version=0,
)
_lif(
    "`session/list` filters by a relative folder",
    "params session/list: cwd",
    "project",
    "LST-03",
    version=0,
)
_lif(
    "`updatedAt` is not in ISO 8601",
    "result session/list: sessions/*/updatedAt",
    lambda old: "15 Nov 2026" if old else None,
    "LST-09",
    version=0,
)
_lif(
    "`updatedAt` of an update is not in ISO 8601",
    "update session_info_update: updatedAt",
    "yesterday",
    "LST-09",
    version=0,
)


@operator(LIF, "`session/list` returns a session of another folder", "LST-03")
def other_folder_listed(talk):
    for said in talk.results("session/list"):
        if said.request.params.get("cwd"):
            other = {"sessionId": "elsewhere", "cwd": "/srv/elsewhere"}
            yield talk.change(said, lambda m, other=other: m["result"]["sessions"].append(other))


_lif("a cursor was never received", "params session/list: cursor", "page-9", "LST-05", version=0)


@operator(LIF, "`session/list` goes on after the last page", "LST-04")
def past_last_page(talk):
    for said in talk.requests("session/list"):
        if "cursor" in said.params and said.place in talk.answers:
            later = next(one for one in talk.said if one.place > talk.answers[said.place].place)
            answer = {"result": talk.answers[said.place].result}
            yield exchange(talk, later, CLIENT, "session/list", said.params, answer)


@operator(LIF, "a deleted session is listed", "DEL-02")
def deleted_listed(talk):
    for deleted in talk.requests("session/delete"):
        for said in talk.results("session/list"):
            if said.place > deleted.place:
                gone = {"sessionId": deleted.session, "cwd": "/home/dev/project"}
                yield talk.change(said, lambda m, gone=gone: m["result"]["sessions"].append(gone))


@operator(LIF, "deleting a session again is refused", "DEL-03")
def delete_refused(talk):
    for deleted in talk.requests("session/delete"):
        later = next(
            (one for one in talk.said if one.place > talk.answers[deleted.place].place), None
        )
        if later:
            error = {"error": {"code": -32002, "message": "Session not found"}}
            yield exchange(talk, later, CLIENT, "session/delete", deleted.params, error)


@operator(LIF, "an update names a session that does not exist", "SES-25")
def unknown_session_update(talk):
    for said in talk.updates():
        if talk.in_turn(said):
            yield talk.change(said, lambda m: m["params"].update(sessionId="somebody-else"))


@operator(LIF, "an update names its session in another case", "SES-25")
def session_in_other_case(talk):
    for said in talk.updates(TEXT, "tool_call"):
        other = str(said.session).swapcase()
        if other != said.session and talk.in_turn(said):
            yield talk.change(said, lambda m, other=other: m["params"].update(sessionId=other))


@operator(LIF, "a request of the agent names a session that does not exist", "FS-07", "PER-09")
def unknown_session_request(talk):
    for said in talk.requests(
        "fs/read_text_file", "fs/write_text_file", "session/request_permission", "terminal/create"
    ):
        if said.method != "terminal/create":
            yield talk.change(said, lambda m: m["params"].update(sessionId="somebody-else"))


@operator(LIF, "a prompt names a session that does not exist", "SES-25", "PRM-14")
def unknown_session_prompt(talk):
    for said in talk.requests("session/prompt")[:1]:
        params = {**said.params, "sessionId": "somebody-else"}
        error = {
            "error": {
                "code": -32002,
                "message": "Session not found",
                "data": {"sessionId": "somebody-else"},
            }
        }
        yield exchange(talk, said, CLIENT, "session/prompt", params, error)


@operator(LIF, "a prompt for an unknown session succeeds", "SES-27", "PRM-14", version=1)
def unknown_session_prompted(talk):
    for said in talk.requests("session/prompt")[:1]:
        params = {**said.params, "sessionId": "somebody-else"}
        yield exchange(
            talk, said, CLIENT, "session/prompt", params, {"result": {"stopReason": "refusal"}}
        )


@operator(LIF, "a cancel names a session that does not exist", "SES-25")
def unknown_session_cancel(talk):
    for said in talk.notifications("session/cancel"):
        message = {**said.message, "params": {"sessionId": "somebody-else"}}
        yield talk.before(said, CLIENT, message)


@operator(LIF, "a closed session is used", "SES-25")
def closed_session(talk):
    for closed in talk.requests("session/close"):
        prompts = [
            one
            for one in talk.requests("session/prompt")
            if one.session == closed.session and one.place < closed.place
        ]
        later = next(
            (one for one in talk.said if one.place > talk.answers[closed.place].place), None
        )
        if prompts and later:
            error = {
                "error": {
                    "code": -32002,
                    "message": "Session not found",
                    "data": {"sessionId": closed.session},
                }
            }
            yield exchange(talk, later, CLIENT, "session/prompt", prompts[0].params, error)


@operator(LIF, "an update comes after its session was closed", "SES-25", "V2-16")
def update_after_close(talk):
    for closed in talk.responses("session/close"):
        for said in talk.updates(TEXT, "agent_message", "usage_update"):
            if said.session == closed.session and said.place < closed.place:
                yield talk.after(closed, AGENT, said.message)
                break


@operator(LIF, "an update comes before the response that names its session", "SES-26", version=1)
def update_before_session(talk):
    for answer in talk.results("session/new"):
        update = {"sessionUpdate": "available_commands_update", "availableCommands": []}
        params = {"sessionId": answer.result.get("sessionId"), "update": update}
        yield talk.before(
            answer, AGENT, {"jsonrpc": "2.0", "method": "session/update", "params": params}
        )


def _replay(talk, method="session/load"):
    for request in talk.requests(method):
        answer = talk.answers.get(request.place)
        if answer:
            yield (
                answer,
                [
                    said
                    for said in talk.updates()
                    if request.place < said.place < answer.place and said.session == request.session
                ],
            )


@operator(LIF, "a session is loaded without its history", "SES-08", version=1)
def no_replay(talk):
    for _, replay in _replay(talk):
        if replay:
            yield talk.drop(*replay)


@operator(LIF, "the history of a loaded session lacks a tool call", "SES-08", version=1)
def replay_without_tool_call(talk):
    for _, replay in _replay(talk):
        for said in replay:
            if said.kind == "tool_call":
                same = [
                    one
                    for one in replay
                    if one.update.get("toolCallId") == said.update["toolCallId"]
                ]
                yield talk.drop(*same)


@operator(LIF, "the history of a loaded session lacks a prompt", "SES-08", version=1)
def replay_without_prompt(talk):
    for _, replay in _replay(talk):
        users = [said for said in replay if said.kind == "user_message_chunk"]
        if len(users) > 1:
            yield talk.drop(users[0])


@operator(LIF, "the history of a loaded session lacks the agent's text", "SES-08", version=1)
def replay_without_text(talk):
    for _, replay in _replay(talk):
        texts = [said for said in replay if said.kind == TEXT]
        if texts:
            yield talk.drop(*texts)


@operator(LIF, "the history of a loaded session is in another order", "SES-08", version=1)
def replay_in_other_order(talk):
    for _, replay in _replay(talk):
        users = [said for said in replay if said.kind == "user_message_chunk"]
        if len(users) > 1:
            one, two = users[0], users[-1]
            yield {**talk.send(one, two.message), **talk.send(two, one.message)}


@operator(LIF, "the history of a loaded session contains a message twice", "SES-08", version=1)
def replay_twice(talk):
    for _, replay in _replay(talk):
        for said in replay:
            if said.kind == "user_message_chunk":
                yield talk.after(said, AGENT, said.message)


@operator(LIF, "history comes after the response to `session/load`", "SES-09", version=1)
def late_replay(talk):
    for answer, replay in _replay(talk):
        if len(replay) > 1:
            yield talk.move(replay[-1], answer)


@operator(LIF, "all history comes after the response to `session/load`", "SES-09", version=1)
def all_late_replay(talk):
    for answer, replay in _replay(talk):
        if len(replay) > 1:
            yield talk.move_before(answer, replay[0])


@operator(LIF, "`session/resume` replays the history", "SES-12", version=1)
def replay_on_resume(talk):
    for request in talk.requests("session/resume"):
        shown = [
            said
            for said in talk.updates(TEXT)
            if said.session == request.session and said.place < request.place
        ]
        if shown:
            prompt = next(
                one for one in talk.requests("session/prompt") if one.session == request.session
            )
            user = _update(
                request, sessionUpdate="user_message_chunk", content=prompt.params["prompt"][0]
            )
            yield talk.after(request, AGENT, user, shown[0].message)


_lif(
    "a session is loaded with another folder",
    "params session/load|session/resume: cwd",
    "/srv/elsewhere",
    "SES-19",
    version=0,
)


@operator(LIF, "a session is closed, but its turn goes on", "SES-15", version=1)
def close_without_cancel(talk):
    for prompt, answer, between in talk.turns():
        capabilities = talk.results("initialize")[0].result.get("agentCapabilities") or {}
        if (capabilities.get("sessionCapabilities") or {}).get(
            "close"
        ) is not None and not talk.is_cancelled(prompt):
            texts = [one for one in between if one.kind == TEXT]
            if len(texts) > 1 and not talk.requests("session/close"):
                params = {"sessionId": prompt.session}
                edit = exchange(talk, texts[-1], CLIENT, "session/close", params, {"result": {}})
                later = [one for one in talk.said if one.place > answer.place]
                yield {**edit, **talk.drop(*later)}


# ----------------------------------------------------------------------------------------- turns


@operator(LIF, "a prompt is sent before its session is ready", "PRM-01", version=1)
def early_prompt(talk):
    for new in talk.results("session/new")[:1]:
        prompts = [
            one
            for one in talk.requests("session/prompt")
            if one.session == new.result.get("sessionId")
        ]
        if prompts and not [one for one in talk.said if new.place < one.place < prompts[0].place]:
            yield talk.move_before(prompts[0], new)


@operator(LIF, "a prompt is sent while a turn is open", "PRM-06", version=1)
def prompt_in_turn(talk):
    for prompt, answer, between in talk.turns():
        if between and not talk.is_cancelled(prompt):
            middle = between[len(between) // 2]
            params = {**prompt.params, "prompt": [{"type": "text", "text": "And hurry"}]}
            edit = talk.before(
                middle,
                CLIENT,
                {"jsonrpc": "2.0", "id": 70_001, "method": "session/prompt", "params": params},
            )
            reply = {"jsonrpc": "2.0", "id": 70_001, "result": {"stopReason": "end_turn"}}
            yield {**edit, **talk.after(answer, AGENT, reply)}


@operator(LIF, "text comes after the response to its prompt", "PRM-07", version=1)
def late_text(talk):
    for prompt, answer, between in talk.turns():
        texts = [one for one in between if one.kind == TEXT]
        if len(texts) > 1 and not talk.is_cancelled(prompt):
            yield talk.move(texts[-1], answer)


@operator(LIF, "a tool call is updated after the turn", "PRM-07", "PRM-11", version=1)
def late_tool_update(talk):
    for prompt, answer, between in talk.turns():
        calls = [
            one
            for one in between
            if one.kind == "tool_call_update"
            and one.update.get("status") in ("completed", "failed")
        ]
        if calls and not talk.is_cancelled(prompt):
            yield talk.move(calls[-1], answer)


@operator(LIF, "text comes after the response to a cancelled prompt", "CAN-07", version=1)
def late_text_after_cancel(talk):
    for prompt, answer, between in talk.turns():
        texts = [one for one in between if one.kind == TEXT]
        if texts and talk.is_cancelled(prompt):
            yield (
                talk.move(texts[-1], answer)
                if len(texts) > 1
                else talk.after(answer, AGENT, texts[-1].message)
            )


@operator(LIF, "a tool call is never finished", "PRM-11", version=1)
def open_tool_call(talk):
    for prompt, _, between in talk.turns():
        if talk.is_cancelled(prompt):
            continue
        last = {}
        for one in between:
            if one.kind in ("tool_call", "tool_call_update") and one.update.get("status") in (
                "completed",
                "failed",
            ):
                last.setdefault(one.update["toolCallId"], []).append(one)
        for ends in last.values():
            known = any(
                one.kind == "tool_call" and one.update["toolCallId"] == ends[0].update["toolCallId"]
                for one in between
            )
            if known and all(one.kind == "tool_call_update" for one in ends):
                yield talk.drop(*ends)


@operator(LIF, "a turn ends without any output", "PRM-12", version=1)
def empty_turn(talk):
    for prompt, _, between in talk.turns():
        asked = [one for one in between if not one.kind]
        if not asked and not talk.is_cancelled(prompt):
            yield talk.drop(*between)


@operator(LIF, "a turn ends with `cancelled`, but was not cancelled", "PRM-13", version=1)
def cancelled_without_cancel(talk):
    for prompt, answer, _ in talk.turns():
        if not talk.is_cancelled(prompt):
            yield talk.change(answer, lambda m: m["result"].update(stopReason="cancelled"))


@operator(LIF, "an id of a message is used by the user and by the agent", "PRM-08", version=1)
def shared_message_id(talk):
    for said in talk.updates(TEXT):
        if "messageId" in said.update and talk.in_turn(said):
            user = _update(
                said,
                sessionUpdate="user_message_chunk",
                content={"type": "text", "text": "Hi"},
                messageId=said.update["messageId"],
            )
            yield talk.before(said, AGENT, user)


_lif("more is used than there is", "update usage_update: used", 900_000_000, "USG-02", version=0)
_lif(
    "a currency is not in ISO 4217",
    "update usage_update: cost/currency",
    "dollars",
    "USG-02",
    version=0,
)


@operator(LIF, "the cost goes down", "USG-02")
def falling_cost(talk):
    for said in talk.updates("usage_update"):
        if (said.update.get("cost") or {}).get("amount"):
            lower = {
                **said.update,
                "cost": {**said.update["cost"], "amount": said.update["cost"]["amount"] / 2},
            }
            yield talk.after(said, AGENT, _update(said, **lower))


@operator(LIF, "the whole text of a message is sent again", "X-04", version=1)
def repeated_text(talk):
    for prompt, _, between in talk.turns():
        if talk.is_cancelled(prompt):
            continue
        texts = []
        for one in [*between, None]:
            if one is not None and one.kind == TEXT:
                texts.append(one)
                continue
            whole = "".join(text.update["content"].get("text", "") for text in texts)
            if len(texts) > 1 and len(whole) >= 16:
                content = {"type": "text", "text": whole}
                yield talk.after(
                    texts[-1], AGENT, _update(texts[-1], **{**texts[-1].update, "content": content})
                )
            texts = []


# ---------------------------------------------------------------------------------- cancellation


@operator(LIF, "a cancelled permission is never answered", "CAN-03", "PER-02", version=1)
def permission_after_cancel(talk):
    for said in talk.results("session/request_permission"):
        if said.result.get("outcome", {}).get("outcome") == "cancelled":
            yield talk.drop(said)


@operator(LIF, "a cancelled permission is granted", "CAN-03", version=1)
def permission_granted_after_cancel(talk):
    for said in talk.results("session/request_permission"):
        if said.result.get("outcome", {}).get("outcome") == "cancelled":
            option = said.request.params["options"][0]["optionId"]
            outcome = {"outcome": "selected", "optionId": option}
            yield talk.change(said, lambda m, outcome=outcome: m["result"].update(outcome=outcome))


def _cancelled(talk):
    for prompt, answer, between in talk.turns():
        if talk.is_cancelled(prompt):
            yield prompt, answer, between


@operator(LIF, "a cancelled turn ends with `end_turn`", "CAN-05", version=1)
def cancel_ignored(talk):
    for _, answer, _ in _cancelled(talk):
        yield talk.change(answer, lambda m: m["result"].update(stopReason="end_turn"))


@operator(LIF, "a cancelled turn ends with an error", "CAN-06", version=1)
def cancel_as_error(talk):
    for _, answer, _ in _cancelled(talk):
        yield talk.send(answer, _error(answer, -32603, "The operation was aborted"))


@operator(LIF, "a cancelled turn is never answered", "CAN-05", version=1)
def cancel_unanswered(talk):
    for _, answer, _ in _cancelled(talk):
        yield talk.drop(answer)


@operator(LIF, "a cancelled turn starts a tool long after the cancel", "CAN-04", version=1)
def work_after_cancel(talk):
    for _, answer, between in _cancelled(talk):
        call = _update(
            between[0],
            sessionUpdate="tool_call",
            toolCallId="late",
            title="Late",
            kind="execute",
            status="in_progress",
        )
        done = _update(
            between[0], sessionUpdate="tool_call_update", toolCallId="late", status="completed"
        )
        edit = talk.before(answer, AGENT, call, done)
        t = answer.frame.t + 20
        edit[answer.place] = [msgspec.structs.replace(one, t=t) for one in edit[answer.place]]
        yield {**talk.delay(answer.place + 1, 20), **edit}


@operator(LIF, "after a cancel the session does not work any more", "CAN-14", version=1)
def lost_after_cancel(talk):
    for prompt, answer, between in talk.turns():
        before = [
            one
            for one in talk.requests("session/prompt")
            if one.place < prompt.place and one.session == prompt.session
        ]
        if before and talk.is_cancelled(before[-1]) and not talk.is_cancelled(prompt):
            yield {
                **talk.drop(*between),
                **talk.send(answer, _error(answer, -32603, "Session is not active")),
            }


@operator(LIF, "`$/cancel_request` names no pending request", "CAN-09")
def stray_cancel_request(talk):
    for said in talk.requests("session/prompt"):
        message = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 99_999}}
        yield talk.before(said, CLIENT, message)


@operator(LIF, "`$/cancel_request` names a request of the other peer", "CAN-09")
def foreign_cancel_request(talk):
    for said in talk.requests("session/request_permission"):
        own = [one.message["id"] for one in talk.requests() if one.sender is CLIENT]
        ident = said.message["id"]
        if ident not in own:
            message = {
                "jsonrpc": "2.0",
                "method": "$/cancel_request",
                "params": {"requestId": ident},
            }
            yield talk.after(said, CLIENT, message)


@operator(LIF, "a cancelled request is answered with another code", "CAN-10")
def wrong_cancellation_code(talk):
    for said in talk.responses("fs/read_text_file", "session/list"):
        message = {
            "jsonrpc": "2.0",
            "method": "$/cancel_request",
            "params": {"requestId": said.message["id"]},
        }
        edit = talk.after(said.request, said.request.sender, message)
        yield {**edit, **talk.send(said, _error(said, -32603, "Cancelled"))}


@operator(LIF, "`session/cancel` is sent while no turn is open", "CAN-15")
def cancel_outside_turn(talk):
    for prompt, answer, _ in talk.turns():
        if not talk.is_cancelled(prompt):
            message = {
                "jsonrpc": "2.0",
                "method": "session/cancel",
                "params": {"sessionId": prompt.session},
            }
            later = talk.delay(answer.place + 1, 5)
            sent = msgspec.structs.replace(
                talk.after(answer, CLIENT, message)[answer.place][1], t=answer.frame.t + 3
            )
            yield {**later, answer.place: [answer.frame, sent]}


# ------------------------------------------------------------------------------------ tool calls


def _calls(talk, *kinds):
    return [said for said in talk.updates(*kinds) if talk.in_turn(said)]


@operator(LIF, "a tool call is announced twice", "TLC-02", version=1)
def announced_twice(talk):
    for said in _calls(talk, "tool_call"):
        yield talk.after(said, AGENT, said.message)


@operator(LIF, "a tool call is never announced", "TLC-03", version=1)
def never_announced(talk):
    for said in _calls(talk, "tool_call"):
        ident = said.update["toolCallId"]
        again = [
            one
            for one in talk.updates("tool_call", "tool_call_update")
            if one.update.get("toolCallId") == ident and one.place > said.place
        ]
        asked = [
            one
            for one in talk.requests("session/request_permission")
            if one.params["toolCall"]["toolCallId"] == ident
        ]
        if again and not asked:
            yield talk.drop(said)


@operator(LIF, "an update names a tool call that does not exist", "TLC-03", version=1)
def unknown_tool_call(talk):
    for said in _calls(talk, "tool_call_update"):
        if said.update.get("status") not in ("completed", "failed"):
            yield talk.change(said, lambda m: m["params"]["update"].update(toolCallId="call-x"))


@operator(LIF, "a finished tool call goes on", "TLC-08", version=1)
def reversed_status(talk):
    for said in _calls(talk, "tool_call_update"):
        if said.update.get("status") in ("completed", "failed"):
            ident = said.update["toolCallId"]
            back = _update(
                said, sessionUpdate="tool_call_update", toolCallId=ident, status="in_progress"
            )
            yield talk.after(said, AGENT, back, said.message)


@operator(LIF, "a running tool call is pending again", "TLC-08", version=1)
def pending_again(talk):
    for said in _calls(talk, "tool_call", "tool_call_update"):
        if said.update.get("status") == "in_progress":
            ident = said.update["toolCallId"]
            yield talk.after(
                said,
                AGENT,
                _update(said, sessionUpdate="tool_call_update", toolCallId=ident, status="pending"),
            )


@operator(LIF, "a completed tool call becomes failed", "TLC-08", version=1)
def failed_after_all(talk):
    for said in _calls(talk, "tool_call_update"):
        if said.update.get("status") == "completed":
            ident = said.update["toolCallId"]
            yield talk.after(
                said,
                AGENT,
                _update(said, sessionUpdate="tool_call_update", toolCallId=ident, status="failed"),
            )


@operator(LIF, "an allowed tool call is never in progress", "TLC-07", version=1)
def never_in_progress(talk):
    for asked in talk.results("session/request_permission"):
        ident = asked.request.params["toolCall"]["toolCallId"]
        running = [
            one
            for one in talk.updates("tool_call_update")
            if one.place > asked.place
            and one.update.get("toolCallId") == ident
            and one.update.get("status") == "in_progress"
        ]
        before = [
            one
            for one in talk.updates("tool_call", "tool_call_update")
            if one.place < asked.place
            and one.update.get("toolCallId") == ident
            and one.update.get("status") == "in_progress"
        ]
        if len(running) == 1 and not before and not running[0].update.get("content"):
            yield talk.drop(running[0])


@operator(LIF, "the tool of a tool call changes", "TLC-14", version=1)
def changed_name(talk):
    for said in _calls(talk, "tool_call"):
        if said.update.get("name"):
            ident = said.update["toolCallId"]
            yield talk.after(
                said,
                AGENT,
                _update(
                    said, sessionUpdate="tool_call_update", toolCallId=ident, name="other_tool"
                ),
            )


ANY_CALL = "update tool_call|tool_call_update"
_lif(
    "a location is relative",
    f"{ANY_CALL}: locations/*/path",
    lambda old: old.rsplit("/", 1)[-1],
    "TLC-10",
    version=0,
)
_lif(
    "a location is in the home folder",
    f"{ANY_CALL}: locations/*/path",
    "~/project/main.py",
    "TLC-10",
    version=0,
)
_lif(
    "the path of a diff is relative",
    f"{ANY_CALL}: content/*/path",
    lambda old: old.rsplit("/", 1)[-1],
    "TLC-10",
)
_lif("a location has line 0", f"{ANY_CALL}: locations/*/+line", 0, "TLC-11", version=0)


@operator(LIF, "the path of a location comes in pieces", "TLC-15", version=1)
def partial_path(talk):
    for said in _calls(talk, "tool_call"):
        ident = said.update["toolCallId"]
        parts = [
            _update(
                said, sessionUpdate="tool_call_update", toolCallId=ident, locations=[{"path": path}]
            )
            for path in ("/home/dev/pro", "/home/dev/project/ma", "/home/dev/project/main.py")
        ]
        yield talk.after(said, AGENT, *parts)


# ----------------------------------------------------------------------------------- permissions


@operator(LIF, "permission is requested before the tool call is announced", "PER-07", version=1)
def permission_first(talk):
    for asked in talk.requests("session/request_permission"):
        ident = asked.params["toolCall"]["toolCallId"]
        known = [
            one
            for one in talk.updates("tool_call", "tool_call_update")
            if one.update.get("toolCallId") == ident and one.place < asked.place
        ]
        if len(known) == 1 and known[0].kind == "tool_call":
            yield talk.move(known[0], asked)


@operator(LIF, "the client selects an option that was not offered", "PER-04", "V2-21")
def option_not_offered(talk):
    for said in talk.results("session/request_permission"):
        if "optionId" in said.result.get("outcome", {}):
            yield talk.change(
                said, lambda m: m["result"]["outcome"].update(optionId="allow_everything")
            )


_lif(
    "a permission request offers nothing",
    "params session/request_permission: options",
    [],
    "PER-05",
    version=0,
)


@operator(LIF, "two options have the same id", "PER-05", "V2-21")
def same_option_id(talk):
    for said in talk.requests("session/request_permission"):
        options = said.params["options"]
        answer = talk.answers.get(said.place)
        chosen = answer and (answer.result or {}).get("outcome", {}).get("optionId")
        if len(options) > 1 and options[1]["optionId"] != chosen:
            yield talk.change(
                said,
                lambda m: m["params"]["options"][1].update(
                    optionId=m["params"]["options"][0]["optionId"]
                ),
            )


@operator(LIF, "a rejected tool call runs", "PER-08", version=1)
def rejected_runs(talk):
    for said in talk.results("session/request_permission"):
        kinds = {one["optionId"]: one.get("kind", "") for one in said.request.params["options"]}
        chosen = said.result.get("outcome", {}).get("optionId")
        reject = [ident for ident, kind in kinds.items() if kind.startswith("reject")]
        if kinds.get(chosen, "").startswith("allow") and reject:
            ident = said.request.params["toolCall"]["toolCallId"]
            later = [
                one
                for one in talk.updates("tool_call", "tool_call_update")
                if one.place > said.place
                and one.update.get("toolCallId") == ident
                and one.update.get("status") in ("in_progress", "completed")
            ]
            if later:
                yield talk.change(
                    said, lambda m, reject=reject: m["result"]["outcome"].update(optionId=reject[0])
                )


@operator(LIF, "a tool call runs before its permission is answered", "PER-08", version=1)
def runs_early(talk):
    for said in talk.results("session/request_permission"):
        chosen = said.result.get("outcome", {}).get("optionId")
        ident = said.request.params["toolCall"]["toolCallId"]
        later = [
            one
            for one in talk.updates("tool_call_update")
            if one.place > said.place
            and one.update.get("toolCallId") == ident
            and one.update.get("status") in ("in_progress", "completed")
        ]
        if chosen and later and talk.in_turn(said):
            yield talk.move_before(later[0], said)


@operator(LIF, "permission is requested for a finished tool call", "PER-08", version=1)
def permission_too_late(talk):
    for said in _calls(talk, "tool_call_update"):
        if said.update.get("status") == "completed":
            later = next((one for one in talk.said if one.place > said.place), None)
            options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
            params = {
                "sessionId": said.session,
                "toolCall": {"toolCallId": said.update["toolCallId"]},
                "options": options,
            }
            answer = {"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
            if later:
                yield exchange(talk, later, AGENT, "session/request_permission", params, answer)


@operator(LIF, "permission is requested outside a turn", "PER-09", version=1)
def permission_outside(talk):
    for prompt, answer, _ in talk.turns():
        later = next((one for one in talk.said if one.place > answer.place), None)
        if later and not talk.is_cancelled(prompt):
            call = {"toolCallId": "call-late", "title": "Late"}
            options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
            params = {"sessionId": prompt.session, "toolCall": call, "options": options}
            reply = {"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
            yield exchange(talk, later, AGENT, "session/request_permission", params, reply)


@operator(LIF, "a permission is `cancelled`, but the turn is not", "PER-10", version=1)
def cancelled_permission(talk):
    for said in talk.results("session/request_permission"):
        ident = said.request.params["toolCall"]["toolCallId"]
        later = [
            one
            for one in talk.updates("tool_call_update")
            if one.place > said.place and one.update.get("toolCallId") == ident
        ]
        chosen = said.result.get("outcome", {}).get("optionId")
        if chosen and all(one.update.get("status") == "failed" for one in later):
            yield talk.change(said, lambda m: m["result"].update(outcome={"outcome": "cancelled"}))


@operator(LIF, "a permission is answered with an error", "PER-02")
def permission_error(talk):
    for said in talk.results("session/request_permission"):
        ident = (said.request.params.get("toolCall") or {}).get("toolCallId")
        later = [
            one
            for one in talk.updates("tool_call_update", "tool_call")
            if one.place > said.place and one.update.get("toolCallId") == ident
        ]
        if all(one.update.get("status") == "failed" for one in later):
            yield talk.send(said, _error(said, -32603, "No user interface"))
            yield talk.send(said, _error(said, -32601, "Method not found"))


# --------------------------------------------------------------------------- files and terminals

_lif("a file is read by a relative path", "params fs/read_text_file: path", "parser.py", "FS-02")
_lif(
    "a file is written by a relative path",
    "params fs/write_text_file: path",
    "./test_parser.py",
    "FS-02",
)
_lif(
    "a file is written outside of the session's folders",
    "params fs/write_text_file: path",
    "/etc/hosts",
    "SES-05",
)
_lif("a file is read from line 0", "params fs/read_text_file: +line", 0, "FS-03")
_lif("a file is read with limit 0", "params fs/read_text_file: +limit", 0, "FS-03")


@operator(LIF, "the client returns more lines than requested", "FS-05", version=1)
def too_many_lines(talk):
    for said in talk.results("fs/read_text_file"):
        if said.request.params.get("limit"):
            limit = said.request.params["limit"]
            yield talk.change(
                said, lambda m, limit=limit: m["result"].update(content="line\n" * (limit + 3))
            )


@operator(LIF, "a file is read outside a turn", "FS-07", version=1)
def file_outside_turn(talk):
    fs = (talk.requests("initialize")[0].params.get("clientCapabilities") or {}).get("fs") or {}
    for prompt, answer, _ in talk.turns():
        later = next((one for one in talk.said if one.place > answer.place), None)
        new = next(
            (
                one
                for one in talk.results("session/new")
                if one.result.get("sessionId") == prompt.session
            ),
            None,
        )
        if later and new and fs.get("readTextFile"):
            params = {"sessionId": prompt.session, "path": f"{new.request.params['cwd']}/a.py"}
            yield exchange(
                talk, later, AGENT, "fs/read_text_file", params, {"result": {"content": ""}}
            )


_lif("the folder of a terminal is relative", "params terminal/create: cwd", "project", "TRM-04")


@operator(LIF, "a shell line is the command of a terminal", "TRM-02", version=1)
def shell_line(talk):
    for said in talk.requests("terminal/create"):

        def change(message):
            message["params"].pop("args", None)
            message["params"]["command"] = "cd src && make test | tee log"

        yield talk.change(said, change)


@operator(LIF, "a terminal is never released", "TRM-03", version=1)
def not_released(talk):
    for said in talk.requests("terminal/release"):
        if said.place in talk.answers:
            yield talk.drop(said, talk.answers[said.place])


@operator(LIF, "a terminal is used after its release", "TRM-08", version=1)
def used_after_release(talk):
    for said in talk.responses("terminal/release"):
        later = next(one for one in talk.said if one.place > said.place)
        error = {"error": {"code": -32602, "message": "Terminal not found"}}
        yield exchange(talk, later, AGENT, "terminal/output", said.request.params, error)


@operator(LIF, "a terminal is used that was never created", "TRM-08", version=1)
def unknown_terminal(talk):
    for said in talk.requests("terminal/output"):
        params = {**said.params, "terminalId": "term-x"}
        error = {"error": {"code": -32602, "message": "Terminal not found"}}
        yield exchange(talk, said, AGENT, "terminal/output", params, error)


_lif(
    "a tool call shows a terminal that was never created",
    "update tool_call_update: content/*/terminalId",
    "term-x",
    "TLC-12",
)


@operator(LIF, "a tool call shows a terminal after its release", "TLC-12", version=1)
def shown_after_release(talk):
    for said in talk.updates("tool_call_update"):
        shown = [
            one.get("terminalId")
            for one in said.update.get("content") or ()
            if one.get("type") == "terminal"
        ]
        for released in talk.responses("terminal/release"):
            if (
                released.request.params["terminalId"] in shown
                and said.place < released.place
                and talk.in_turn(released)
            ):

                def change(message):
                    message["params"]["update"].pop("content")

                ident = said.update["toolCallId"]
                again = _update(
                    said,
                    sessionUpdate="tool_call_update",
                    toolCallId=ident,
                    content=said.update["content"],
                )
                yield {**talk.change(said, change), **talk.after(released, AGENT, again)}


@operator(LIF, "creating a terminal takes long", "TRM-02", version=1)
def slow_terminal(talk):
    for said in talk.results("terminal/create"):
        yield talk.delay(said.place, 30)


_lif(
    "the output of a terminal is longer than its limit",
    "result terminal/output: output",
    lambda _: "x" * 5000,
    "TRM-06",
)


@operator(LIF, "truncated output begins in the middle of a character", "TRM-05", version=1)
def cut_character(talk):
    for said in talk.results("terminal/output"):
        yield talk.change(
            said, lambda m: m["result"].update(output="�ber passed\n", truncated=True)
        )


@operator(LIF, "an exit status changes", "TRM-07", version=1)
def other_exit_status(talk):
    for said in talk.results("terminal/output"):
        if said.result.get("exitStatus"):
            yield talk.change(said, lambda m: m["result"].update(exitStatus={"exitCode": 3}))


@operator(LIF, "a killed terminal is gone", "TRM-09", version=1)
def gone_after_kill(talk):
    for said in talk.requests("terminal/output"):
        params = said.params
        edit = exchange(talk, said, AGENT, "terminal/kill", params, {"result": {}})
        answer = talk.answers[said.place]
        if not (answer.result or {}).get("exitStatus"):
            others = [
                one
                for one in talk.requests(
                    "terminal/output", "terminal/wait_for_exit", "terminal/release"
                )
                if one.place > said.place
            ]
            gone = talk.send(answer, _error(answer, -32602, "Terminal not found"))
            rest = [
                one
                for one in (*others, *(talk.answers[one.place] for one in others))
                if one.method != "terminal/release"
            ]
            yield {**edit, **gone, **talk.drop(*rest)}


# -------------------------------------------------------------------- plans, modes, options, rest


@operator(LIF, "a plan update is not complete", "PLN-02", version=1)
def incomplete_plan(talk):
    for one, two in pairwise(talk.updates("plan")):
        entries = two.update["entries"]
        if len(entries) > 1 and one.session == two.session:
            short = _update(one, sessionUpdate="plan", entries=entries[:1])
            yield talk.before(two, AGENT, short)


SETUP = "result session/new|session/load|session/resume"
_lif("the current mode is not available", f"{SETUP}: modes/currentModeId", "no-such-mode", "MOD-02")
_lif(
    "the client sets a mode that was not offered",
    "params session/set_mode: modeId",
    "no-such-mode",
    "MOD-03",
)
_lif(
    "the agent changes to a mode that was not offered",
    "update current_mode_update: currentModeId",
    "no-such-mode",
    "MOD-05",
)
_lif(
    "the current value of a config option is not offered",
    f"{SETUP}: configOptions/*/currentValue",
    lambda old: "huge" if isinstance(old, str) else None,
    "CFG-12",
    version=0,
)
_lif(
    "the client sets a config option that was not offered",
    "params session/set_config_option: configId",
    "temperature",
    "CFG-09",
    version=0,
)
_lif(
    "the client sets a value that was not offered",
    "params session/set_config_option: value",
    "huge",
    "CFG-09",
    version=0,
)
_lif(
    "the response lacks a config option",
    "result session/set_config_option: configOptions",
    lambda old: old[1:] if len(old) > 1 else None,
    "CFG-07",
)


@operator(LIF, "two modes have the same id", "MOD-02", version=1)
def same_mode(talk):
    for said in talk.results("session/new"):
        modes = (said.result.get("modes") or {}).get("availableModes") or []
        if len(modes) > 1:
            yield talk.change(
                said,
                lambda m: m["result"]["modes"]["availableModes"].append(
                    m["result"]["modes"]["availableModes"][0]
                ),
            )


@operator(LIF, "a config option is not applied", "CFG-13")
def not_applied(talk):
    for said in talk.results("session/set_config_option"):
        ident = said.request.params["configId"]

        def change(message, ident=ident):
            for option in message["result"]["configOptions"]:
                if ident in (option.get("id"), option.get("configId")):
                    option["currentValue"] = option["options"][0]["value"]

        yield talk.change(said, change)


@operator(LIF, "`config_option_update` is not complete", "CFG-08", version=1)
def incomplete_option_update(talk):
    for said in talk.results("session/new"):
        options = said.result.get("configOptions") or []
        if len(options) > 1:
            params = {
                "sessionId": said.result["sessionId"],
                "update": {"sessionUpdate": "config_option_update", "configOptions": options[:1]},
            }
            yield talk.after(
                said, AGENT, {"jsonrpc": "2.0", "method": "session/update", "params": params}
            )


@operator(LIF, "modes and the config option for the mode differ", "CFG-10", version=1)
def modes_differ(talk):
    for said in talk.results("session/new"):
        modes = (said.result.get("modes") or {}).get("availableModes") or []
        options = [
            one for one in said.result.get("configOptions") or () if one.get("category") == "mode"
        ]
        current = (said.result.get("modes") or {}).get("currentModeId")
        others = [one["id"] for one in modes if one["id"] != current]
        if options and others:
            yield talk.change(
                said, lambda m, others=others: m["result"]["modes"].update(currentModeId=others[0])
            )


@operator(LIF, "`session/set_mode` although the mode is a config option", "CFG-01", version=1)
def set_mode_anyway(talk):
    for said in talk.results("session/new"):
        modes = (said.result.get("modes") or {}).get("availableModes") or []
        options = [
            one for one in said.result.get("configOptions") or () if one.get("category") == "mode"
        ]
        later = next((one for one in talk.said if one.place > said.place), None)
        current = (said.result.get("modes") or {}).get("currentModeId")
        if modes and options and later:
            params = {"sessionId": said.result["sessionId"], "modeId": current}
            yield exchange(talk, later, CLIENT, "session/set_mode", params, {"result": {}})


@operator(LIF, "`session/set_mode` of a session without modes", "MOD-03", version=1)
def set_mode_without_modes(talk):
    for said in talk.results("session/new"):
        later = next((one for one in talk.said if one.place > said.place), None)
        if not said.result.get("modes") and later:
            params = {"sessionId": said.result["sessionId"], "modeId": "code"}
            error = {"error": {"code": -32602, "message": "Unknown mode"}}
            yield exchange(talk, later, CLIENT, "session/set_mode", params, error)


@operator(LIF, "an unoffered mode is accepted", "MOD-03", version=1)
def unoffered_mode_accepted(talk):
    for said in talk.requests("session/set_mode"):
        updates = [one for one in talk.updates("current_mode_update") if one.place > said.place]
        if said.place in talk.answers and (talk.answers[said.place].result is not None):
            yield {
                **talk.change(said, lambda m: m["params"].update(modeId="no-such-mode")),
                **talk.drop(*updates),
            }


_lif(
    "the name of a command begins with a slash",
    "update available_commands_update: availableCommands/*/name",
    lambda old: f"/{old}",
    "CMD-02",
    version=0,
)
_lif(
    "the name of a command has a space",
    "update available_commands_update: availableCommands/*/name",
    lambda old: f"{old} it",
    "CMD-02",
    version=0,
)


@operator(LIF, "two commands have the same name", "CMD-02")
def same_command(talk):
    for said in talk.updates("available_commands_update"):
        commands = said.update["availableCommands"]
        if commands:
            yield talk.change(
                said,
                lambda m: m["params"]["update"]["availableCommands"].append(
                    m["params"]["update"]["availableCommands"][0]
                ),
            )


@operator(LIF, "a prompt uses a command that was not advertised", "CMD-03", version=1)
def unknown_command(talk):
    for said in talk.requests("session/prompt"):
        known = [
            one
            for one in talk.updates("available_commands_update")
            if one.place < said.place and one.session == said.session
        ]
        if known:
            yield talk.change(
                said, lambda m: m["params"]["prompt"][0].update(text="/frobnicate all")
            )


@operator(LIF, "a notice is sent while a session is loaded", "NTC-03", version=1)
def replayed_notice(talk):
    clients = talk.requests("initialize")[0].params.get("clientCapabilities") or {}
    for answer, _ in _replay(talk):
        if (clients.get("session") or {}).get("notices") is not None:
            yield talk.before(
                answer, AGENT, _update(answer, sessionUpdate="notice", severity="info", title="Hi")
            )


@operator(LIF, "a summary comes after its compaction", "CMP-03", version=1)
def late_summary(talk):
    ends = [one for one in talk.updates("compaction_update") if one.update["status"] == "completed"]
    for said in talk.updates("compaction_summary_chunk"):
        if ends:
            yield talk.move(said, ends[0])


@operator(LIF, "a compaction ends twice", "CMP-03", version=1)
def compaction_twice(talk):
    for said in talk.updates("compaction_update"):
        if said.update["status"] == "completed":
            yield talk.after(said, AGENT, said.message)


@operator(LIF, "a compaction never begins", "CMP-03", version=1)
def compaction_without_start(talk):
    for said in talk.updates("compaction_update"):
        if said.update["status"] == "in_progress":
            chunks = talk.updates("compaction_summary_chunk")
            yield talk.drop(said) if not chunks else talk.move(said, chunks[0])


# ------------------------------------------------------------------------- elicitation, contents

_lif(
    "a form asks for a password",
    "params elicitation/create: requestedSchema/properties/branch",
    {"type": "string", "title": "Password"},
    "ELI-06",
    version=0,
)
_lif(
    "a form contains a link",
    "params elicitation/create: requestedSchema/properties/branch",
    {"type": "string", "description": "See https://git.corp.test/branches"},
    "ELI-16",
    version=0,
)
_lif(
    "the content of a form does not match its schema",
    "result elicitation/create: content",
    {"branch": 7},
    "ELI-08",
    version=0,
)
_lif(
    "the content of a form lacks a required field",
    "result elicitation/create: content",
    {"push": True},
    "ELI-08",
    version=0,
)
_lif(
    "a URL contains a token",
    "params elicitation/create: url",
    "https://example.com/connect?access_token=abcdef0123456789",
    "ELI-15",
    version=0,
)
_lif(
    "a URL contains a password",
    "params elicitation/create: url",
    "https://dev:secret@example.com/connect",
    "ELI-15",
    version=0,
)
_lif(
    "a URL is not HTTPS",
    "params elicitation/create: url",
    "http://example.com/connect",
    "ELI-15",
    version=0,
)
_lif(
    "an elicitation is completed that was never requested",
    "params elicitation/complete: elicitationId",
    "eli-9",
    "ELI-13",
    version=0,
)


@operator(LIF, "two open elicitations have the same id", "ELI-12")
def same_elicitation(talk):
    for said in talk.requests("elicitation/create"):
        if said.params.get("elicitationId"):
            reply = {"result": {"action": "accept"}}
            later = next(one for one in talk.said if one.place > talk.answers[said.place].place)
            yield exchange(talk, later, AGENT, "elicitation/create", said.params, reply)


_lif(
    "content with a declined form",
    "result elicitation/create",
    lambda old: {**old, "action": "decline"} if old.get("content") else None,
    "ELI-10",
    version=0,
)
_lif(
    "the data of an image is not Base64",
    "params session/prompt: prompt/*/data",
    "not base64!",
    "CNT-03",
    version=0,
)
_lif(
    "the MIME type of an image is that of a text",
    "params session/prompt: prompt/*",
    lambda old: (
        {**old, "mimeType": "text/plain"} if old.get("type") in ("image", "audio") else None
    ),
    "CNT-03",
    version=0,
)
_lif(
    "the URI of a link is a path",
    "params session/prompt: prompt/*",
    lambda old: {**old, "uri": "src/parser.py"} if old.get("type") == "resource_link" else None,
    "CNT-08",
    version=0,
)
_lif(
    "the URI of a resource is a path",
    "params session/prompt: prompt/*/resource/uri",
    "/home/dev/notes.md",
    "CNT-08",
    version=0,
)
_lif(
    "`traceparent` is malformed",
    "params session/prompt: +_meta",
    {"traceparent": "1234"},
    "EXT-04",
    version=0,
)


@operator(LIF, "a removed method is used: `session/set_model`", "EXT-05", version=1)
def set_model(talk):
    for said in talk.requests("session/prompt"):
        params = {"sessionId": said.session, "modelId": "large"}
        error = {"error": {"code": -32601, "message": "Method not found"}}
        yield exchange(talk, said, CLIENT, "session/set_model", params, error)


@operator(LIF, "an internal error ends a later turn without a word", "CAN-11", version=1)
def later_prompt_failed(talk):
    for said in talk.requests("session/prompt")[1:2]:
        new = next((one for one in talk.results("session/new")), None)
        if new:
            error = {"error": {"code": -32603, "message": "Internal error"}}
            yield exchange(talk, said, CLIENT, "session/new", new.request.params, error)


_lif(
    "a file is read outside of the session's folders",
    "params fs/read_text_file: path",
    "/etc/hosts",
    "SES-04",
    "SES-05",
)


@operator(LIF, "a long text is sent twice", "X-03", version=1)
def same_chunk(talk):
    text = "The test failed because of a wrong path. It is fixed now."
    for said in talk.updates(TEXT):
        if talk.in_turn(said):
            chunk = _update(said, sessionUpdate=TEXT, content={"type": "text", "text": text})
            yield talk.after(said, AGENT, chunk, chunk)


@operator(LIF, "a method with `$/` that is not defined", "CAN-13")
def unknown_protocol_method(talk):
    for said in talk.requests("session/prompt"):
        message = {"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1}}
        yield talk.after(said, AGENT, message)
