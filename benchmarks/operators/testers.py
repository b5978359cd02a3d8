"""What somebody who tests a peer would try, in every family, and what must be allowed."""

from benchmarks.mutating import AGENT, CLIENT, LEGAL, operator, shape
from benchmarks.operators.jsonrpc import RPC, each
from benchmarks.operators.lifecycle import LIF, TEXT, exchange
from benchmarks.operators.shapes import SCH

_OF_AGENT = ("session/request_permission", "fs/read_text_file", "terminal/create")


def _if_text(change):
    """Return `change` for texts that it changes; for `shape`."""

    def changed(value):
        if not isinstance(value, str) or not value:
            return None
        new = change(value)
        return None if new == value else new

    return changed


def _if_missing(value):
    return lambda old: value if old is None else None


# ------------------------------------------------------------------------------------------- ids

each(
    RPC,
    "a response with a method",
    pick=lambda talk: talk.results(),
    change=lambda said: {**said.message, "method": said.method},
)
each(
    RPC,
    "an update with the id null",
    pick=lambda talk: talk.updates(),
    change=lambda said: {**said.message, "id": None},
)
each(
    RPC,
    "a method with a space at its end",
    pick=lambda talk: talk.requests() + talk.notifications(),
    change=lambda said: {**said.message, "method": f"{said.method} "},
)
each(
    SCH,
    "an update without params",
    pick=lambda talk: talk.updates(),
    change=lambda said: {**said.message, "params": None},
)


@operator(RPC, "a peer answers its own request")
def own_answer(talk):
    for request in talk.requests(*_OF_AGENT, "session/new"):
        if answer := talk.answers.get(request.place):
            yield talk.before(answer, request.sender, answer.message)


@operator(RPC, "a prompt is answered again with another reason", version=1)
def second_reason(talk):
    for _, answer, _ in talk.turns():
        message = {**answer.message, "result": {"stopReason": "refusal"}}
        yield talk.after(answer, AGENT, message)


@operator(RPC, "the agent sends `initialize`", version=1)
def agent_initializes(talk):
    for said in talk.requests("session/prompt"):
        error = {"error": {"code": -32601, "message": "Method not found"}}
        yield exchange(talk, said, AGENT, "initialize", {"protocolVersion": 1}, error)


# ---------------------------------------------------------------------------------------- shapes

shape(SCH, "`protocolVersion` is too large", "params initialize: protocolVersion", 70_000)
shape(SCH, "`protocolVersion` is negative", "params initialize: protocolVersion", -1)
shape(SCH, "`session/cancel` has a reason", "params session/cancel: +reason", "the user said so")
shape(
    SCH,
    "a status is in camel case",
    "update tool_call|tool_call_update: status",
    _if_text(lambda value: "inProgress" if value == "in_progress" else value),
)
shape(SCH, "a tool kind is capitalized", "update tool_call: kind", _if_text(str.title), version=1)
shape(
    SCH,
    "the kind of an option is capitalized",
    "params session/request_permission: options/*/kind",
    _if_text(str.title),
)
shape(
    SCH,
    "an option is selected by a number",
    "result session/request_permission: outcome/optionId",
    0,
)
shape(
    SCH,
    "the type of a block is capitalized",
    "params session/prompt: prompt/*/type",
    _if_text(str.title),
)
shape(
    SCH,
    "a stop reason in capitals",
    "result session/prompt: stopReason",
    _if_text(str.upper),
    version=1,
)
shape(SCH, "the content of a file is null", "result fs/read_text_file: content", None)
shape(SCH, "a file is read from a fraction of a line", "params fs/read_text_file: +line", 1.5)
shape(SCH, "a file is written with a list of lines", "params fs/write_text_file: content", ["a"])
shape(SCH, "`truncated` is a string", "result terminal/output: truncated", "false")
shape(SCH, "the id of a terminal is a number", "result terminal/create: terminalId", 7)
shape(SCH, "a mode is set by a number", "params session/set_mode: modeId", 1)
shape(
    SCH,
    "the description of a command is null",
    "update available_commands_update: availableCommands/*/description",
    None,
)

# ----------------------------------------------------------------------------- references, order

shape(LIF, "the id of a session is empty", "result session/new: sessionId", "")
shape(
    LIF,
    "an option is selected in another case",
    "result session/request_permission: outcome/optionId",
    _if_text(str.swapcase),
)
shape(
    LIF,
    "a tool call is updated in another case",
    "update tool_call_update: toolCallId",
    _if_text(str.swapcase),
    version=1,
)
shape(
    LIF,
    "no mode is available",
    "result session/new: modes/availableModes",
    lambda modes: [] if modes else None,
)
shape(
    LIF,
    "the name of a command is empty",
    "update available_commands_update: availableCommands/*/name",
    "",
)
shape(
    LIF,
    "the path of a file is a URI",
    "params fs/read_text_file|fs/write_text_file: path",
    _if_text(lambda path: f"file://{path}"),
)
shape(
    LIF,
    "the data of an image is a data URL",
    "params session/prompt: prompt/*/data",
    _if_text(lambda data: f"data:image/png;base64,{data}"),
    version=1,
)
shape(LIF, "the size of the context is 0", "update usage_update: size", 0)


@operator(LIF, "two login methods have the same id")
def same_login(talk):
    for said in talk.results("initialize"):
        if methods := said.result.get("authMethods"):
            yield talk.change(
                said, lambda m, first=methods[0]: m["result"]["authMethods"].append(first)
            )


@operator(LIF, "the client logs in although no login is offered", version=1)
def login_without_methods(talk):
    offered = any(said.result.get("authMethods") for said in talk.results("initialize"))
    for said in talk.requests("session/new")[:1]:
        if not offered:
            yield exchange(
                talk, said, CLIENT, "authenticate", {"methodId": "login"}, {"result": {}}
            )


@operator(LIF, "an option is selected by its name")
def option_by_name(talk):
    for said in talk.results("session/request_permission"):
        outcome = said.result.get("outcome") or {}
        for option in said.request.params.get("options") or ():
            is_it = option.get("optionId") == outcome.get("optionId") != option.get("name")
            if is_it:
                name = option["name"]
                yield talk.change(said, lambda m, n=name: m["result"]["outcome"].update(optionId=n))


@operator(LIF, "a tool call is updated before it is announced", version=1)
def early_update(talk):
    for said in talk.updates("tool_call"):
        for later in _updates_of(talk, said)[:1]:
            yield talk.move_before(later, said)


@operator(LIF, "a tool call is announced as completed, and goes on", version=1)
def announced_completed(talk):
    for said in talk.updates("tool_call"):
        goes_on = any(
            one.update.get("status") == "in_progress" for one in _updates_of(talk, said)[:1]
        )
        if goes_on:
            yield talk.change(said, lambda m: m["params"]["update"].update(status="completed"))


def _updates_of(talk, said):
    return [
        one
        for one in talk.updates("tool_call_update")
        if one.place > said.place
        and one.session == said.session
        and one.update.get("toolCallId") == said.update.get("toolCallId")
    ]


@operator(LIF, "an update comes before `initialize` is answered")
def update_in_handshake(talk):
    for said in talk.results("initialize")[:1]:
        for update in talk.updates(TEXT, "agent_message", "available_commands_update")[:1]:
            yield talk.before(said, AGENT, update.message)


@operator(LIF, "the agent sends a request before there is a session")
def early_request(talk):
    for said in talk.requests("session/new")[:1]:
        for request in talk.requests(*_OF_AGENT)[:1]:
            if answer := talk.answers.get(request.place):
                body = {"result": answer.result}
                yield exchange(talk, said, AGENT, request.method, request.params, body)


@operator(LIF, "a prompt is answered before its last chunks", version=1)
def early_answer(talk):
    for prompt, answer, between in talk.turns():
        chunks = [said for said in between if said.kind == TEXT]
        if len(chunks) > 3 and not talk.is_cancelled(prompt):
            yield talk.move_before(answer, chunks[-2])


@operator(LIF, "a turn ends as cancelled before the cancel", version=1)
def answer_before_cancel(talk):
    for cancel in talk.notifications("session/cancel"):
        for prompt, answer, between in talk.turns():
            is_last = cancel.place == max((said.place for said in between), default=0)
            if is_last and prompt.session == cancel.session:
                yield talk.move_before(answer, cancel)


@operator(LIF, "a terminal is released twice", version=1)
def second_release(talk):
    for request in talk.requests("terminal/release"):
        later = [said for said in talk.said if said.place > talk.answers[request.place].place]
        for said in later[:1]:
            yield exchange(talk, said, AGENT, request.method, request.params, {"result": {}})


@operator("CAP", "an MCP server uses SSE, but it is not advertised", version=1)
def unadvertised_sse(talk):
    server = {"type": "sse", "name": "x", "url": "https://example.com/sse", "headers": []}
    for said in talk.results("initialize"):
        capabilities = said.result.get("agentCapabilities") or {}
        if not (capabilities.get("mcpCapabilities") or {}).get("sse"):
            for new in talk.requests("session/new"):
                yield talk.change(new, lambda m: m["params"]["mcpServers"].append(server))


# --------------------------------------------------------------------------------------- allowed

shape(LEGAL, "a tool call has no locations", "update tool_call: +locations", _if_missing([]))
shape(LEGAL, "the content of a tool call is empty", "update tool_call: +content", _if_missing([]))
shape(LEGAL, "the input of a tool is a string", "update tool_call: +rawInput", "ls -la")
shape(
    LEGAL, "the output of a tool is a list", "update tool_call_update: +rawOutput", _if_missing([1])
)
shape(LEGAL, "a title is not in ASCII", "update tool_call: title", "🛠 läuft")
shape(LEGAL, "a plan is empty", "update plan: entries", [])
shape(LEGAL, "there are no commands", "update available_commands_update: availableCommands", [])
shape(LEGAL, "the limit of a read is null", "params fs/read_text_file: +limit", None)
shape(LEGAL, "a file is empty", "result fs/read_text_file: content", "")
shape(
    LEGAL,
    "`_meta` in results",
    "result session/new|session/prompt|initialize: +_meta",
    _if_missing({"vendor.example/x": [None, {"y": 1}]}),
)
shape(LEGAL, "`_meta` in blocks", "params session/prompt: prompt/*/+_meta", _if_missing({"x": 1}))
shape(
    LEGAL,
    "`_meta` in options",
    "params session/request_permission: options/*/+_meta",
    _if_missing({"key": "y"}),
)
shape(LEGAL, "the title of the client is null", "params initialize: clientInfo/+title", None)


@operator(LEGAL, "a turn is cancelled twice", version=1)
def second_cancel(talk):
    for cancel in talk.notifications("session/cancel"):
        if talk.in_turn(cancel):
            yield talk.after(cancel, CLIENT, cancel.message)


@operator(LEGAL, "the same mode is reported again")
def same_mode(talk):
    for said in talk.updates("current_mode_update"):
        yield talk.after(said, AGENT, said.message)


@operator(LEGAL, "`jsonrpc` is the last field")
def jsonrpc_last(talk):
    yield talk.everywhere(
        lambda said: {k: v for k, v in said.message.items() if k != "jsonrpc"} | {"jsonrpc": "2.0"}
    )


@operator(LEGAL, "another session is opened in a turn", version=1)
def session_in_turn(talk):
    for request in talk.requests("session/new")[:1]:
        opened = talk.answers[request.place].result
        for _, _, between in talk.turns():
            if isinstance(opened, dict) and len(between) > 2 and not talk.in_replay(between[1]):
                answer = {"result": {**opened, "sessionId": "another-one"}}
                yield exchange(talk, between[1], CLIENT, "session/new", request.params, answer)
