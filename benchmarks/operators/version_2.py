"""Mistakes in order and references, in version 2."""

import itertools

from benchmarks.mutating import AGENT, CLIENT, operator, shape
from benchmarks.operators.lifecycle import exchange

LIF = "LIF"


def _state(said, state, **more):
    update = {"sessionUpdate": "state_update", "state": state, **more}
    return _update(said, **update)


def _update(said, **fields):
    params = {"sessionId": said.session, "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def _two(what, *rows):
    return operator(LIF, what, *rows, version=2)


def _live(talk, *kinds):
    return [said for said in talk.updates(*kinds) if not talk.in_replay(said)]


def _states(talk, state):
    return [said for said in _live(talk, "state_update") if said.update.get("state") == state]


@_two("a prompt is not echoed", "V2-06")
def not_echoed(talk):
    for said in _live(talk, "user_message"):
        yield talk.drop(said)


@_two("a prompt is echoed with another id", "V2-06")
def other_echo(talk):
    for said in _live(talk, "user_message"):
        yield talk.change(said, lambda m: m["params"]["update"].update(messageId="somebody-else"))


@_two("work starts without `running`", "V2-07")
def never_running(talk):
    for said in _states(talk, "running"):
        before = [one for one in _live(talk, "state_update") if one.place < said.place]
        if not before or before[-1].update["state"] == "idle":
            yield talk.drop(said)


@_two("work ends without `idle`", "V2-07")
def never_idle(talk):
    for said in _states(talk, "idle"):
        if said.update.get("stopReason") != "cancelled":
            yield talk.drop(said)


@_two("`idle` has no stop reason", "V2-07")
def idle_without_reason(talk):
    for said in _states(talk, "idle"):
        if "stopReason" in said.update:
            yield talk.change(said, lambda m: m["params"]["update"].pop("stopReason"))


@_two("`running` is sent twice", "V2-07")
def running_twice(talk):
    for said in _states(talk, "running"):
        yield talk.after(said, AGENT, said.message)


@_two("after `requires_action` the agent works on without `running`", "V2-08")
def no_running_again(talk):
    states = _live(talk, "state_update")
    for one, two in itertools.pairwise(states):
        if one.update["state"] == "requires_action" and two.update["state"] == "running":
            yield talk.drop(two)


@_two("cancelled work ends with `end_turn`", "V2-10")
def cancel_not_reported(talk):
    for said in _states(talk, "idle"):
        if said.update.get("stopReason") == "cancelled":
            yield talk.change(said, lambda m: m["params"]["update"].update(stopReason="end_turn"))


@_two("cancelled work ends with `error`", "V2-10")
def cancel_as_error(talk):
    for said in _states(talk, "idle"):
        if said.update.get("stopReason") == "cancelled":
            yield talk.change(said, lambda m: m["params"]["update"].update(stopReason="error"))


@_two("cancelled work never ends", "V2-10")
def cancel_never_ends(talk):
    for said in _states(talk, "idle"):
        if said.update.get("stopReason") == "cancelled":
            yield talk.drop(said)


@_two("a tool call has no title", "V2-12")
def no_title(talk):
    for said in _live(talk, "tool_call_update"):
        if "title" in said.update:
            yield talk.change(said, lambda m: m["params"]["update"].pop("title"))


@_two("content comes for a tool call that was not announced", "V2-12")
def unannounced_chunk(talk):
    for said in _live(talk, "tool_call_content_chunk", "terminal_output_chunk"):
        key = "toolCallId" if "toolCallId" in said.update else "terminalId"
        yield talk.change(said, lambda m, key=key: m["params"]["update"].update({key: "unknown"}))


@_two("a finished tool call goes on", "TLC-08")
def reversed_status(talk):
    for said in _live(talk, "tool_call_update"):
        if said.update.get("status") == "completed":
            ident = said.update["toolCallId"]
            yield talk.after(
                said,
                AGENT,
                _update(
                    said, sessionUpdate="tool_call_update", toolCallId=ident, status="in_progress"
                ),
                said.message,
            )


@_two("the id of an exited terminal is used for another command", "V2-13")
def reused_terminal(talk):
    for said in _live(talk, "terminal_update"):
        if said.update.get("exitStatus"):
            ident = said.update["terminalId"]
            yield talk.after(
                said,
                AGENT,
                _update(
                    said,
                    sessionUpdate="terminal_update",
                    terminalId=ident,
                    command="make",
                    cwd="/home/dev/project",
                ),
            )


shape(
    LIF,
    "the folder of a terminal is relative",
    "update terminal_update: cwd",
    "project",
    "V2-13",
    version=2,
)


@_two("a tool call is cancelled that does not offer it", "V2-14")
def cancel_not_offered(talk):
    for said in _live(talk, "tool_call_update"):
        if said.update.get("status") == "in_progress":
            later = next(one for one in talk.said if one.place > said.place)
            params = {"sessionId": said.session, "toolCallId": said.update["toolCallId"]}
            error = {"error": {"code": -32602, "message": "Invalid params"}}
            yield exchange(talk, later, CLIENT, "tool_call/cancel", params, error)


@_two("a session is resumed without its state", "V2-15")
def resume_without_state(talk):
    for request in talk.requests("session/resume"):
        answer = talk.answers[request.place]
        states = [
            one for one in talk.updates("state_update") if request.place < one.place < answer.place
        ]
        if states:
            yield talk.drop(*states)


@_two("a session is replayed although nobody asked for it", "V2-15")
def unrequested_replay(talk):
    for request in talk.requests("session/resume"):
        if "replayFrom" in request.params:
            yield talk.change(request, lambda m: m["params"].pop("replayFrom"))


@_two("an unknown replay cursor is accepted", "V2-15")
def unknown_cursor(talk):
    for request in talk.requests("session/resume"):
        if "replayFrom" in request.params:
            yield talk.change(request, lambda m: m["params"].update(replayFrom={"type": "middle"}))


@_two("the replay lacks a prompt", "V2-15")
def replay_without_prompt(talk):
    users = [said for said in talk.updates("user_message") if talk.in_replay(said)]
    if len(users) > 1:
        yield talk.drop(users[0])


@_two("the replay lacks a tool call", "V2-15")
def replay_without_tool_call(talk):
    calls = [said for said in talk.updates("tool_call_update") if talk.in_replay(said)]
    if calls:
        yield talk.drop(calls[0])


@_two("the replay is in another order", "V2-15")
def replay_in_other_order(talk):
    users = [said for said in talk.updates("user_message") if talk.in_replay(said)]
    if len(users) > 1:
        one, two = users[0], users[-1]
        yield {**talk.send(one, two.message), **talk.send(two, one.message)}


@_two("a session is closed while it runs", "V2-16", "SES-15")
def closed_while_running(talk):
    for said in _states(talk, "idle"):
        if said.update.get("stopReason") == "end_turn":
            params = {"sessionId": said.session}
            edit = exchange(talk, said, CLIENT, "session/close", params, {"result": {}})
            edit[said.place] = edit[said.place][:-1]
            yield {**talk.drop(*(one for one in talk.said if one.place > said.place)), **edit}


@_two("background work was never announced", "V2-17")
def unannounced_background(talk):
    for said in _states(talk, "idle"):
        work = [{"type": "tool_call", "toolCallId": "nobody"}]
        if said.update.get("stopReason") == "end_turn":
            yield talk.change(
                said, lambda m, work=work: m["params"]["update"].update(background=work)
            )


@_two("a tool runs although its permission was rejected", "V2-21", "PER-08")
def rejected_runs(talk):
    for said in talk.results("session/request_permission"):
        kinds = {one["optionId"]: one.get("kind", "") for one in said.request.params["options"]}
        reject = [ident for ident, kind in kinds.items() if kind.startswith("reject")]
        if reject:
            yield talk.change(
                said, lambda m, reject=reject: m["result"]["outcome"].update(optionId=reject[0])
            )


@_two("the agent answers with a higher version than requested", "V2-04", "INI-08")
def higher_version(talk):
    for said in talk.results("initialize"):
        yield talk.change(said, lambda m: m["result"].update(protocolVersion=3))


@_two("an agent of version 2 does not implement a required method", "V2-02")
def required_method(talk):
    for said in talk.responses("session/list", "session/close"):
        error = {"code": -32601, "message": "Method not found"}
        yield talk.send(said, {"jsonrpc": "2.0", "id": said.message["id"], "error": error})


@_two("a prompt is sent to a session that does not exist", "SES-25")
def unknown_session(talk):
    for said in talk.requests("session/prompt")[:1]:
        params = {**said.params, "sessionId": "somebody-else"}
        error = {
            "code": -32002,
            "message": "Session not found",
            "data": {"sessionId": "somebody-else"},
        }
        yield exchange(talk, said, CLIENT, "session/prompt", params, {"error": error})


@_two("an update names a session that does not exist", "SES-25")
def unknown_session_update(talk):
    for said in _live(talk, "agent_message", "agent_message_chunk"):
        yield talk.change(said, lambda m: m["params"].update(sessionId="somebody-else"))


@_two("two options of a config option have the same value", "V2-23", "CFG-12")
def same_value(talk):
    for said in talk.results("session/new"):
        options = said.result.get("configOptions") or []
        if options:
            yield talk.change(
                said,
                lambda m: m["result"]["configOptions"][0]["options"].append(
                    {"value": "small", "name": "Small again"}
                ),
            )
