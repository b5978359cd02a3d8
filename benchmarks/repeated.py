"""
Captures in which one thing is repeated: what `growth` measures the readers with.

A unit is a function of a number: it gives the records of a capture with so many repetitions. A
record is a pair of a sender and what it sent (a message, or the text of a line), or any other
record as it is in the file.
"""

import json
import string
from itertools import product

from acp_spy.secrets.shape_search import SHAPES

CLIENT, AGENT = "client", "agent"
HEADER = {
    "type": "header",
    "format": 1,
    "started": "2026-11-15T08:09:42.850483Z",
    "command": ["agent"],
    "cwd": "/p",
}
UNITS = {}
OPTION = {"optionId": "a", "name": "A", "kind": "allow_once"}


def unit(function):
    UNITS[function.__name__.replace("_", " ")] = function
    return function


def write(path, records):
    """Write a capture; return its size in bytes."""
    with open(path, "w") as file:
        file.write(json.dumps(HEADER) + "\n")
        seq = 0
        for record in records:
            if isinstance(record, tuple):
                sender, sent = record
                seq += 1
                field = "text" if isinstance(sent, str) else "message"
                frame = {"type": "frame", "seq": seq, "t": seq / 1000, "sender": sender}
                file.write(json.dumps({**frame, field: sent}) + "\n")
            else:
                file.write(json.dumps(record) + "\n")
        return file.tell()


def request(id_, method, params):
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def notification(method, params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def response(id_, result):
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def update(kind, session="s", /, **fields):
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    return AGENT, notification("session/update", params)


def text(kind, words, session="s", /, **fields):
    return update(kind, session, content={"type": "text", "text": words}, **fields)


def opening():
    can = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
    first = {"protocolVersion": 1, "clientCapabilities": can}
    return [
        (CLIENT, request(0, "initialize", first)),
        (AGENT, response(0, {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})),
        (CLIENT, request(1, "session/new", {"cwd": "/p", "mcpServers": []})),
        (AGENT, response(1, {"sessionId": "s"})),
        prompt(2),
    ]


def prompt(id_, session="s", words="hi"):
    block = {"type": "text", "text": words}
    return CLIENT, request(id_, "session/prompt", {"sessionId": session, "prompt": [block]})


def called(id_, method, params, result):
    """Return what the agent requests, and what the client responds."""
    params = {"sessionId": "s", **params}
    return [(AGENT, request(id_, method, params)), (CLIENT, response(id_, result))]


def again(count, make):
    """Return the records of `make(0)`, `make(1)`, ... in an open turn."""
    records = opening()
    for number in range(count):
        made = make(number)
        records += made if isinstance(made, list) else [made]
    return records


# ---------------------------------------------------------------- requests and responses


@unit
def requests_without_response(n):
    return again(n, lambda i: prompt(i + 10))


@unit
def requests_of_the_agent_without_response(n):
    return again(
        n, lambda i: (AGENT, request(i, "fs/read_text_file", {"sessionId": "s", "path": f"/{i}"}))
    )


@unit
def responses_without_request(n):
    return again(n, lambda i: (AGENT, response(i + 100, {"stopReason": "end_turn"})))


@unit
def one_id_in_requests(n):
    return again(n, lambda _: prompt(5))


@unit
def one_id_in_responses(n):
    return again(n, lambda _: (AGENT, response(2, {"stopReason": "end_turn"})))


@unit
def requests_with_responses_in_reverse(n):
    end = [(AGENT, response(i + 10, {"stopReason": "end_turn"})) for i in reversed(range(n))]
    return again(n, lambda i: prompt(i + 10)) + end


@unit
def turns(n):
    return again(
        n, lambda i: [prompt(i + 10), (AGENT, response(i + 10, {"stopReason": "end_turn"}))]
    )


@unit
def errors(n):
    error = {"code": -32601, "message": "Method not found"}
    return again(
        n,
        lambda i: [
            (CLIENT, request(i + 10, f"_x/y{i}", {})),
            (AGENT, {"jsonrpc": "2.0", "id": i + 10, "error": error}),
        ],
    )


@unit
def unknown_notifications(n):
    return again(n, lambda i: (AGENT, notification(f"what/{i}", {"a": i})))


@unit
def initialized_again(n):
    result = {"protocolVersion": 1}
    return again(
        n,
        lambda i: [
            (CLIENT, request(i + 10, "initialize", result)),
            (AGENT, response(i + 10, result)),
        ],
    )


@unit
def a_batch(n):
    return [*opening(), (AGENT, [request(i, "session/request_permission", {}) for i in range(n)])]


@unit
def small_batches(n):
    return again(n, lambda i: (AGENT, [notification("x/y", {"a": i}), response(i, None)]))


# ---------------------------------------------------------------- updates


@unit
def message_chunks(n):
    return again(n, lambda i: text("agent_message_chunk", f"ab c{i % 7}\n"))


@unit
def message_chunks_with_ids(n):
    return again(n, lambda i: text("agent_message_chunk", "ab c", messageId=f"m{i}"))


@unit
def message_chunks_of_many_sessions(n):
    return again(n, lambda i: text("agent_message_chunk", "ab c", f"s{i}"))


@unit
def thoughts_and_echoes(n):
    kinds = ("user_message_chunk", "agent_thought_chunk")
    return again(n, lambda i: text(kinds[i % 2], "ab c"))


@unit
def open_tool_calls(n):
    return again(
        n,
        lambda i: update(
            "tool_call", toolCallId=f"t{i}", title="Read", status="pending", kind="read"
        ),
    )


@unit
def one_tool_call_again(n):
    return again(n, lambda _: update("tool_call", toolCallId="t", title="x", status="pending"))


@unit
def finished_tool_calls(n):
    return again(
        n,
        lambda i: [
            update("tool_call", toolCallId=f"t{i}", title="Read", rawInput={"path": f"/p/{i}"}),
            update("tool_call_update", toolCallId=f"t{i}", status="completed"),
        ],
    )


@unit
def updates_of_one_tool_call(n):
    block = {"type": "content", "content": {"type": "text", "text": "x"}}
    return again(
        n, lambda i: update("tool_call_update", toolCallId="t", title=f"{i}", content=[block])
    )


@unit
def a_tool_call_that_grows(n):
    def grown(i):
        content = {"type": "content", "content": {"type": "text", "text": "line of it\n" * i}}
        return update("tool_call_update", toolCallId="t", content=[content])

    return again(n, grown)


@unit
def updates_of_unknown_tool_calls(n):
    return again(n, lambda i: update("tool_call_update", toolCallId=f"t{i}", status="completed"))


@unit
def a_tool_call_with_locations(n):
    places = [{"path": f"/p/{i}", "line": i} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", locations=places)]


@unit
def a_tool_call_with_wrong_locations(n):
    places = [{"path": i} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", locations=places)]


@unit
def a_tool_call_with_contents(n):
    content = [{"type": "content", "content": {"type": "text", "text": f"{i}"}} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", content=content)]


@unit
def a_tool_call_with_unknown_contents(n):
    content = [{"type": f"q{i}"} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", content=content)]


@unit
def a_tool_call_with_diffs(n):
    content = [{"type": "diff", "path": "/a", "oldText": f"{i}", "newText": "b"} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", content=content)]


@unit
def a_long_diff(n):
    old, new = ("\n".join(str(i % part) for i in range(n)) for part in (7, 5))
    content = [{"type": "diff", "path": "/a", "oldText": old, "newText": new}]
    return [*opening(), update("tool_call", toolCallId="t", title="x", content=content)]


@unit
def a_tool_call_with_terminals(n):
    content = [{"type": "terminal", "terminalId": f"T{i}"} for i in range(n)]
    return [*opening(), update("tool_call", toolCallId="t", title="x", content=content)]


@unit
def plans(n):
    entries = [{"content": "x", "priority": "high", "status": "pending"}]
    return again(n, lambda _: update("plan", entries=entries))


@unit
def a_long_plan(n):
    entries = [{"content": f"x{i}", "priority": "high", "status": "pending"} for i in range(n)]
    return again(3, lambda _: update("plan", entries=entries))


@unit
def a_wrong_plan(n):
    return [*opening(), update("plan", entries=[{"content": i, "status": "no"} for i in range(n)])]


@unit
def many_commands(n):
    commands = [{"name": f"c{i}", "description": "d"} for i in range(n)]
    return again(3, lambda _: update("available_commands_update", availableCommands=commands))


@unit
def one_command_again(n):
    commands = [{"name": "c", "description": "d"} for _ in range(n)]
    return again(3, lambda _: update("available_commands_update", availableCommands=commands))


@unit
def modes(n):
    return again(n, lambda i: update("current_mode_update", currentModeId=f"m{i}"))


@unit
def many_modes(n):
    records = opening()
    state = {
        "currentModeId": "m",
        "availableModes": [{"id": f"m{i}", "name": "x"} for i in range(n)],
    }
    records[3] = (AGENT, response(1, {"sessionId": "s", "modes": state}))
    changes = [update("current_mode_update", currentModeId=f"m{i}") for i in range(n // 4)]
    return records + changes


@unit
def many_config_options(n):
    options = [
        {
            "id": f"m{i}",
            "name": "x",
            "type": "select",
            "currentValue": "a",
            "options": [{"value": f"v{j}", "name": "n"} for j in range(3)],
        }
        for i in range(n)
    ]
    return again(3, lambda _: update("config_option_update", configOptions=options))


@unit
def usage(n):
    return again(n, lambda i: update("usage_update", used=i, size=200_000))


@unit
def session_infos(n):
    return again(n, lambda i: update("session_info_update", title=f"x{i}"))


@unit
def unknown_updates(n):
    return again(n, lambda i: update(f"what_{i}", a=i))


# ---------------------------------------------------------------- permissions and cancels


def permission(i, **fields):
    params = {"sessionId": "s", "toolCall": {"toolCallId": f"t{i}"}, "options": [OPTION], **fields}
    return AGENT, request(i, "session/request_permission", params)


@unit
def one_option_again(n):
    return [permission(0, options=[OPTION] * n)]


@unit
def permissions_without_response(n):
    return again(n, permission)


@unit
def permissions_with_late_responses(n):
    chosen = {"outcome": {"outcome": "selected", "optionId": "a"}}
    return again(n, permission) + [(CLIENT, response(i, chosen)) for i in range(n)]


@unit
def cancelled_permissions(n):
    cancelled = [(CLIENT, response(i, {"outcome": {"outcome": "cancelled"}})) for i in range(n)]
    cancel = (CLIENT, notification("session/cancel", {"sessionId": "s"}))
    return [*again(n, permission), cancel, *cancelled]


@unit
def permissions_of_open_tool_calls(n):
    def asked(i):
        return [
            update("tool_call", toolCallId=f"t{i}", title="x", status="pending", kind="edit"),
            permission(i),
        ]

    return again(n, asked)


@unit
def a_permission_with_options(n):
    options = [{**OPTION, "optionId": f"a{i}"} for i in range(n)]
    return [*opening(), permission(9, options=options)]


@unit
def a_permission_with_equal_options(n):
    return [*opening(), permission(9, options=[OPTION] * n)]


@unit
def cancels(n):
    return again(n, lambda _: (CLIENT, notification("session/cancel", {"sessionId": "s"})))


@unit
def cancels_of_requests(n):
    return again(n, lambda i: (CLIENT, notification("$/cancel_request", {"requestId": i})))


@unit
def cancelled_turns(n):
    cancel = (CLIENT, notification("session/cancel", {"sessionId": "s"}))
    return again(n, lambda i: [prompt(i + 10), cancel])


@unit
def cancels_with_open_tool_calls(n):
    cancel = (CLIENT, notification("session/cancel", {"sessionId": "s"}))
    return again(
        n,
        lambda i: [
            update("tool_call", toolCallId=f"t{i}", title="x", status="in_progress"),
            permission(i),
            cancel,
        ],
    )


@unit
def turns_with_open_tool_calls(n):
    return again(
        n,
        lambda i: [
            update("tool_call", toolCallId=f"t{i}", title="x", status="in_progress"),
            (AGENT, response(i + 2, {"stopReason": "end_turn"})),
            prompt(i + 3),
        ],
    )


# ---------------------------------------------------------------- sessions, files and terminals


def new_session(i):
    return [
        (CLIENT, request(i + 10, "session/new", {"cwd": "/p", "mcpServers": []})),
        (AGENT, response(i + 10, {"sessionId": f"s{i}"})),
    ]


@unit
def sessions(n):
    return again(n, new_session)


@unit
def sessions_in_turns(n):
    records = again(n, new_session) + [prompt(i + n + 10, f"s{i}") for i in range(n)]
    updates = [text("agent_message_chunk", "ab", f"s{i % n}") for i in range(3 * n)]
    tools = [update("tool_call", f"s{i}", toolCallId="t", title="x") for i in range(n)]
    return records + updates + tools


@unit
def sessions_with_servers(n):
    servers = [{"name": f"x{i}", "command": "/x", "args": [], "env": []} for i in range(n)]
    params = {"cwd": "/p", "mcpServers": servers}
    return [*opening(), (CLIENT, request(9, "session/new", params))]


@unit
def loads(n):
    params = {"sessionId": "s", "cwd": "/p", "mcpServers": []}
    return again(
        n,
        lambda i: [
            (CLIENT, request(i + 10, "session/load", params)),
            (AGENT, response(i + 10, None)),
        ],
    )


@unit
def a_load_with_history(n):
    params = {"sessionId": "s", "cwd": "/p", "mcpServers": []}
    history = [
        record
        for i in range(n)
        for record in (
            text("user_message_chunk", "q"),
            text("agent_message_chunk", "a"),
            update("tool_call", toolCallId=f"t{i}", title="x", status="completed"),
        )
    ]
    load = (CLIENT, request(10, "session/load", params))
    return [*opening(), *history, load, *history, (AGENT, response(10, None))]


@unit
def listed_sessions(n):
    found = {"sessions": [{"sessionId": f"s{i}", "cwd": "/p"} for i in range(n)]}
    return [*opening(), (CLIENT, request(9, "session/list", {})), (AGENT, response(9, found))]


@unit
def reads(n):
    return again(n, lambda i: called(i, "fs/read_text_file", {"path": f"/p/{i}"}, {"content": "x"}))


@unit
def reads_of_one_file(n):
    return again(n, lambda i: called(i, "fs/read_text_file", {"path": "/p/x"}, {"content": f"{i}"}))


@unit
def writes(n):
    return again(
        n, lambda i: called(i, "fs/write_text_file", {"path": "/p/x", "content": f"a\n{i}"}, None)
    )


@unit
def a_long_path(n):
    return [*opening(), *called(9, "fs/read_text_file", {"path": "/../a" * n}, {"content": ""})]


@unit
def terminals(n):
    return again(
        n, lambda i: called(i, "terminal/create", {"command": "ls"}, {"terminalId": f"T{i}"})
    )


@unit
def output_of_a_terminal(n):
    first = called(10**7, "terminal/create", {"command": "ls"}, {"terminalId": "T"})
    result = {"output": "x", "truncated": False}
    polled = again(n, lambda i: called(i, "terminal/output", {"terminalId": "T"}, result))
    return polled[:5] + first + polled[5:]


@unit
def output_of_a_terminal_that_grows(n):
    first = called(10**7, "terminal/create", {"command": "ls"}, {"terminalId": "T"})

    def polled(i):
        result = {"output": "a line of it\n" * i, "truncated": False}
        return called(i, "terminal/output", {"terminalId": "T"}, result)

    records = again(n, polled)
    return records[:5] + first + records[5:]


# ---------------------------------------------------------------- a list, and requests about it


def offering(handshake=(), params=(), **result):
    """Return an opening in which the peers announce lists: in `initialize` or `session/new`."""
    records = opening()
    records[1] = (AGENT, response(0, {"protocolVersion": 1, **dict(handshake)}))
    new = {"cwd": "/p", "mcpServers": [], **dict(params)}
    records[2] = (CLIENT, request(1, "session/new", new))
    records[3] = (AGENT, response(1, {"sessionId": "s", **result}))
    return records


def asked(n, method, make, result):
    """Return requests of the client about a session, and what the agent responds."""
    return [
        record
        for i in range(n)
        for record in (
            (CLIENT, request(i + 10, method, {"sessionId": "s", **make(i)})),
            (AGENT, response(i + 10, result)),
        )
    ]


def selects(n, values):
    option = {"name": "x", "type": "select", "category": "mode", "currentValue": "v0"}
    offered = [{"value": f"v{i}", "name": "V"} for i in range(values)]
    return [{"id": f"c{i}", **option, "options": offered} for i in range(n)]


@unit
def folders_and_reads(n):
    listed = offering(params={"additionalDirectories": [f"/d{i}" for i in range(n)]})
    reads = [called(i, "fs/read_text_file", {"path": f"/z/{i}"}, {}) for i in range(n)]
    return listed + [record for read in reads for record in read]


@unit
def auth_methods_and_requests(n):
    methods = [{"id": f"m{i}", "name": "x"} for i in range(n)]
    sent = [(CLIENT, request(i + 10, "authenticate", {"methodId": f"z{i}"})) for i in range(n)]
    return offering({"authMethods": methods}) + sent


@unit
def modes_and_requests(n):
    listed = [{"id": f"m{i}", "name": "x"} for i in range(n)]
    modes = {"currentModeId": "m0", "availableModes": listed}
    set_ = asked(n, "session/set_mode", lambda i: {"modeId": f"z{i}"}, {})
    return offering(modes=modes, configOptions=selects(n, 1)) + set_


@unit
def values_and_requests(n):
    set_ = asked(
        n, "session/set_config_option", lambda i: {"configId": "c0", "value": f"z{i}"}, None
    )
    return offering(configOptions=selects(1, n)) + set_


@unit
def config_options_and_requests(n):
    set_ = asked(
        n, "session/set_config_option", lambda i: {"configId": f"z{i}", "value": "v0"}, None
    )
    return offering(configOptions=selects(n, 1)) + set_


@unit
def config_options_and_wrong_updates(n):
    updates = [update("config_option_update", configOptions=None) for _ in range(n)]
    return offering(configOptions=selects(n, 1)) + updates


@unit
def commands_and_prompts(n):
    commands = [{"name": f"c{i}", "description": "d"} for i in range(n)]
    prompts = [
        record
        for i in range(n)
        for record in (
            prompt(i + 10, words=f"/z{i} a"),
            (AGENT, response(i + 10, {"stopReason": "end_turn"})),
        )
    ]
    return [
        *opening(),
        update("available_commands_update", availableCommands=commands),
        *prompts,
    ]


@unit
def commands_and_loads(n):  # a session that is loaded again keeps its commands
    commands = [{"name": f"c{i}", "description": "d"} for i in range(n)]
    params = {"sessionId": "s", "cwd": "/p", "mcpServers": []}
    loads = [
        record
        for i in range(n)
        for record in (
            (CLIENT, request(2 * i + 10, "session/load", params)),
            (AGENT, response(2 * i + 10, {})),
            prompt(2 * i + 11, words="/z a"),
            (AGENT, response(2 * i + 11, {"stopReason": "end_turn"})),
        )
    ]
    return [*opening(), update("available_commands_update", availableCommands=commands), *loads]


@unit
def permission_options_and_responses(n):
    options = [{**OPTION, "optionId": f"a{i}"} for i in range(n)]
    chosen = {"outcome": {"outcome": "selected", "optionId": "z"}}
    responses = [(CLIENT, response(9, chosen)) for _ in range(n)]
    return [*opening(), permission(9, options=options), *responses]


@unit
def servers_and_messages(n):
    servers = [{"type": "acp", "name": f"x{i}", "serverId": f"m{i}"} for i in range(n)]
    can = {"agentCapabilities": {"mcpCapabilities": {"acp": True}}}
    message = {"requestId": "r", "method": "tools/list"}
    sent = [
        record
        for i in range(n)
        for record in called(i, "mcp/message", {**message, "serverId": f"z{i}"}, {})
    ]
    return offering(can, {"mcpServers": servers}) + sent


@unit
def tool_calls_that_switch_the_mode_and_turns(n):
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]}
    calls = [
        update("tool_call", toolCallId=f"t{i}", title="x", status="in_progress", kind="switch_mode")
        for i in range(n)
    ]
    ends = [
        record
        for i in range(n)
        for record in (prompt(i + 10), (AGENT, response(i + 10, {"stopReason": "end_turn"})))
    ]
    return [*offering(modes=modes), *calls, *ends]


# ---------------------------------------------------------------- one large frame


@unit
def unknown_keys(n):
    keys = {f"k{i}": i for i in range(n)}
    return [*opening(), update("tool_call", toolCallId="t", title="x", **keys)]


@unit
def one_key_again(n):
    pairs = ",".join(f'"k":{i}' for i in range(n))
    line = f'{{"jsonrpc":"2.0","method":"x/y","params":{{{pairs}}}}}\n'
    return [*opening(), (AGENT, line)]


@unit
def keys_of_an_input(n):
    keys = {f"k{i}": f"v{i}" for i in range(n)}
    return [*opening(), update("tool_call", toolCallId="t", title="x", rawInput=keys)]


@unit
def a_list_of_numbers(n):
    return [*opening(), update("tool_call", toolCallId="t", title="x", rawInput=[0] * n)]


@unit
def deep_frames(n):
    return again(n, lambda _: update("tool_call", toolCallId="t", title="x", rawInput=nested(150)))


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@unit
def a_frame_too_deep(n):
    return [
        *opening(),
        (AGENT, '{"jsonrpc":"2.0","method":"x","params":' + "[" * n + "]" * n + "}\n"),
    ]


@unit
def brackets_that_stay_open(n):
    return [*opening(), (AGENT, '{"a":[' * n + "\n")]


@unit
def glued_messages(n):
    return [*opening(), (AGENT, '{"jsonrpc":"2.0","method":"x/y"}' * n + "\n")]


@unit
def glued_messages_behind_noise(n):
    return [*opening(), (AGENT, 'INFO {"jsonrpc":"2.0","method":"x/y"} ' * n + "\n")]


@unit
def strings_that_stay_open(n):
    return [*opening(), (AGENT, '{"jsonrpc":"2.0","method":"x","params":{"a":"' + '\\"' * n + "\n")]


@unit
def escaped_again_and_again(n):
    value = "x"
    while len(value) < n:
        value = json.dumps({"a": value})
    return [*opening(), text("agent_message_chunk", value)]


@unit
def json_within_a_text(n):
    return [*opening(), text("agent_message_chunk", json.dumps([{"k": i} for i in range(n)]))]


@unit
def a_long_prompt(n):
    return [*opening(), prompt(9, words="some words of it " * n)]


@unit
def a_prompt_of_blocks(n):
    blocks = [{"type": "text", "text": f"{i}"} for i in range(n)]
    return [
        *opening(),
        (CLIENT, request(9, "session/prompt", {"sessionId": "s", "prompt": blocks})),
    ]


@unit
def a_prompt_of_wrong_blocks(n):
    blocks = [{"type": "image", "data": i} for i in range(n)]
    return [
        *opening(),
        (CLIENT, request(9, "session/prompt", {"sessionId": "s", "prompt": blocks})),
    ]


@unit
def an_image(n):
    content = {"type": "image", "mimeType": "image/png", "data": "iVBOR" * n}
    return [*opening(), update("agent_message_chunk", content=content)]


@unit
def a_long_number(n):
    return [*opening(), (AGENT, '{"jsonrpc":"2.0","id":' + "1" * n + ',"method":"x/y"}\n')]


@unit
def a_long_id(n):
    return [*opening(), (AGENT, request("1`" * n, "x/y", {}))]


@unit
def a_long_method(n):
    return [*opening(), (AGENT, request(9, "x/" * n, {}))]


@unit
def a_long_session(n):
    return [*opening(), text("agent_message_chunk", "x", "-_" * n)]


# ---------------------------------------------------------------- what is no message


@unit
def noise(n):
    return again(n, lambda i: (AGENT, f"[info] line {i}\n"))


@unit
def noise_of_the_client(n):
    return again(n, lambda i: (CLIENT, f"[info] line {i}\n"))


@unit
def broken_lines(n):
    return again(n, lambda _: (AGENT, '{"jsonrpc":"2.0","id":1,\n'))


@unit
def a_message_over_many_lines(n):
    return again(n, lambda i: (AGENT, f'  "key{i}": [\n'))


@unit
def printed_messages(n):
    lines = json.dumps(notification("x/y", {"a": [1, 2]}), indent=2).splitlines(keepends=True)
    return again(n, lambda i: (AGENT, lines[i % len(lines)]))


@unit
def empty_lines(n):
    return again(n, lambda _: (AGENT, "\n"))


@unit
def parts_of_a_line(n):
    return again(n, lambda i: (AGENT, f'{{"a{i}"'))


@unit
def stderr_lines(n):
    return again(n, lambda i: {"type": "stderr", "t": 0.1, "text": f"Error: x {i}\n"})


@unit
def parts_of_a_stderr_line(n):
    return again(n, lambda _: {"type": "stderr", "t": 0.1, "text": "xyz "})


@unit
def a_traceback(n):
    line = '  File "/x/y.py", line {0}, in f{0}\n    g()\n'
    records = again(n, lambda i: {"type": "stderr", "t": 0.1, "text": line.format(i)})
    records.insert(5, {"type": "stderr", "t": 0.1, "text": "Traceback (most recent call last):\n"})
    return records


@unit
def one_long_stderr(n):
    return [*opening(), {"type": "stderr", "t": 0.1, "text": "Error: at x\n    at y\n" * n}]


# ---------------------------------------------------------------- other records


def delivery(seq, action, **fields):
    return {
        "type": "delivery",
        "seq": seq,
        "t": 0.1,
        "to": CLIENT,
        "by": "x",
        "action": action,
        **fields,
    }


@unit
def deliveries_of_one_frame(n):
    return again(n, lambda _: delivery(4, "injected", message=notification("x/y", {})))


@unit
def replacements_of_one_frame(n):
    return again(n, lambda i: delivery(4, "replaced", message=notification("x/y", {"a": i})))


@unit
def held_frames(n):
    held = again(n, lambda i: [text("agent_message_chunk", "x"), delivery(i + 6, "held")])
    return held + [delivery(i + 6, "delayed") for i in range(n)]


@unit
def held_again(n):
    return again(n, lambda _: delivery(5, "held"))


@unit
def dropped_frames(n):
    return again(n, lambda i: [text("agent_message_chunk", "x"), delivery(i + 6, "dropped")])


@unit
def findings(n):
    return again(
        n,
        lambda i: {
            "type": "finding",
            "seq": 1 + i % 5,
            "code": "RPC007",
            "message": f"x {i}",
            "severity": "error",
            "culprit": "agent",
        },
    )


@unit
def unknown_records(n):
    return again(n, lambda i: {"type": "what", "a": i})


def exchange(i, **fields):
    return {
        "type": "exchange",
        "t": 0.1,
        "id": i + 1,
        "transport": "http",
        "method": "POST",
        "path": "/acp",
        "connection": f"c{i}",
        "status": 400,
        "request_headers": {"content-type": "x"},
        **fields,
    }


@unit
def exchanges(n):
    return again(n, lambda i: exchange(i, stream="post"))


@unit
def exchanges_of_one_connection(n):
    return again(n, lambda i: exchange(i, stream="post", connection="c", status=202, request=3))


@unit
def streams(n):
    fields = {"method": "GET", "stream": "session", "connection": "c", "status": 200}
    return again(n, lambda i: exchange(i, session=f"s{i}", **fields)) + [
        {
            "type": "disconnect",
            "t": 0.2,
            "exchange": i + 1,
            "transport": "http",
            "stream": "session",
            "by": CLIENT,
            "connection": "c",
            "session": f"s{i}",
        }
        for i in range(n)
    ]


@unit
def streams_of_one_session(n):
    fields = {"method": "GET", "stream": "session", "connection": "c", "status": 200}
    return again(n, lambda i: exchange(i, session="s", **fields))


@unit
def frames_by_http(n):
    def made(i):
        message = text("agent_message_chunk", "x", f"s{i % 50}")[1]
        via = {"transport": "http", "stream": "session", "connection": "c", "session": f"s{i}"}
        frame = {"type": "frame", "seq": i + 6, "t": 0.1, "sender": AGENT, "message": message}
        return {**frame, "via": {**via, "exchange": i, "event": f"{i}"}}

    return again(n, made)


@unit
def exits(n):
    return again(n, lambda _: {"type": "exit", "t": 0.1, "status": 0})


@unit
def headers_with_notes(n):
    return [{**HEADER, "note": "acp-spy may have changed the traffic: --fault; " * n}, *opening()]


@unit
def a_long_command(n):
    return [{**HEADER, "command": ["agent", *(f"--key{i}=v{i}" for i in range(n))]}, *opening()]


@unit
def messages_of_mcp(n):
    return again(
        n,
        lambda i: (
            AGENT,
            request(i, "mcp/message", {"connectionId": f"c{i}", "method": "tools/call"}),
        ),
    )


@unit
def proxied_messages(n):
    inner = {"method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
    return again(n, lambda i: (AGENT, request(i, "_proxy/successor", inner)))


# ---------------------------------------------------------------- secrets


def a_key(number):
    """Return a text that looks like a key, another one for each number."""
    letters = string.ascii_letters + string.digits
    state = number * 2654435761 % 2**32 + 1
    made = ""
    while len(made) < 36:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        made += letters[(state >> 33) % 62]
    return made


@unit
def distinct_keys(n):
    return again(n, lambda i: text("agent_message_chunk", f"the key ghp_{a_key(i)} is it\n"))


@unit
def distinct_passwords(n):
    return again(
        n,
        lambda i: update(
            "tool_call", toolCallId=f"t{i}", title="x", rawInput={"password": a_key(i)[:14]}
        ),
    )


@unit
def distinct_passwords_with_copies(n):
    return again(
        n,
        lambda i: [
            update(
                "tool_call", toolCallId=f"t{i}", title="x", rawInput={"password": a_key(i)[:14]}
            ),
            text("agent_message_chunk", f"so it is {a_key(i // 2)[:14]} then\n"),
        ],
    )


@unit
def distinct_keys_in_one_text(n):
    words = "\n".join(f"API_KEY_{i}={a_key(i)}" for i in range(n))
    return [*opening(), text("agent_message_chunk", words)]


@unit
def copies_of_one_key(n):
    return again(n, lambda _: text("agent_message_chunk", f"the key ghp_{a_key(1)} is it\n"))


@unit
def copies_in_one_text(n):
    return [*opening(), text("agent_message_chunk", f"ghp_{a_key(1)} " * n)]


@unit
def halves_of_keys(n):
    return again(n, lambda i: text("agent_message_chunk", f"ghp_{a_key(i)[: 8 + i % 20]}"))


@unit
def keys_over_chunks(n):
    whole = "".join(f"export API_KEY=ghp_{a_key(i)}\n" for i in range(n))
    return [
        *opening(),
        *(text("agent_message_chunk", whole[i : i + 9]) for i in range(0, len(whole), 9)),
    ]


@unit
def keys_in_stderr(n):
    return again(n, lambda i: {"type": "stderr", "t": 0.1, "text": f"API_KEY={a_key(i)}\n"})


@unit
def keys_in_a_command(n):
    words = [word for i in range(n) for word in ("--api-key", a_key(i))]
    return [{**HEADER, "command": ["agent", *words]}, *opening()]


@unit
def keys_in_fields(n):
    keys = {f"API_KEY_{i}": a_key(i) for i in range(n)}
    return [*opening(), update("tool_call", toolCallId="t", title="x", rawInput=keys)]


@unit
def environment_of_a_server(n):
    env = [{"name": f"API_KEY_{i}", "value": a_key(i)} for i in range(n)]
    servers = [{"name": "x", "command": "/x", "args": [], "env": env}]
    return [*opening(), (CLIENT, request(9, "session/new", {"cwd": "/p", "mcpServers": servers}))]


# ---------------------------------------------------------------- texts for the redactor

TOKENS = [
    '="',
    "'",
    '"',
    "{",
    "[",
    "(",
    "}",
    "]",
    ")",
    "\\",
    '\\"',
    "\\u003d",
    "%3D",
    "-p",
    ":",
    "-",
    "<a",
    "<",
    "//",
    "/*",
    "#",
    "|",
    "@",
    "://",
    "eyJ",
    "---",
    ",",
    ";",
    "&",
    "?",
    "$",
    "${",
    "$(",
    "`",
    "```",
    "=",
    "=",
    "password",
    "password=",
    "password:",
    "API_KEY=",
    "token",
    "--password",
    "is",
    "\\n",
    "export",
    "secret",
    "'password':",
    '"password":',
    "a",
    "0",
    "7f",
    "Zm9vYmFyYmF6",
    "Authorization:",
    "Bearer",
    "Password_for",
    "ARN",
    "value",
    "<key>",
    "</key>",
    "x.y()",
    "user@host",
    "curl",
    "name:",
    "value:",
]
BLANKS = ("\n", "\n    ", " ", "\t", "\r\n", "\x1b[0m", "\0", "é")
BEGINNINGS = (
    "-----BEGIN X-----\n",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "<!-- ",
    "| --- ",
    "+---+\n",
)


def tokens():
    return list(dict.fromkeys((*TOKENS, *BLANKS, *BEGINNINGS)))


def texts():
    """Give (name, text) for each text that is repeated, as one string and as many."""
    for token in tokens():
        yield f"text {token!r}", token
    for shape in SHAPES:
        for name, spelled in (("example", shape.example), ("near miss", shape.near_miss)):
            example = spelled_out(spelled)
            for cut in sorted({6, 13, 24, len(example) // 2, len(example) - 1, len(example)}):
                yield f"{name} of {shape.kind} {example[:cut]!r}"[:70], example[:cut]
                yield f"{name} of {shape.kind} {example[:cut]!r}+"[:70], example[:cut] + "\n"


def pairs():
    for first, second in product(tokens(), repeat=2):
        if first != second:
            yield f"text {first + second!r}", first + second


def spelled_out(example):
    """Return an example of `acp_spy/secrets/shape.py` as it would be met."""
    import re

    fill = {None: "a1B2c3D4e5", "hex": "0a1b2c3d4e5f", "upper": "A1B2C3D4"}
    return re.sub(
        r"<(?:(hex|upper) )?(\d+)>", lambda hole: (fill[hole[1]] * 99)[: int(hole[2])], example
    )


def as_one_text(words):
    return lambda n: [*opening(), text("agent_message_chunk", words * n)]


def as_chunks(words):
    return lambda n: again(n, lambda _: text("agent_message_chunk", words * 4))


def as_lines(words):
    return lambda n: again(n, lambda _: (AGENT, words + "\n"))


def with_command(words, output):
    return [
        update("tool_call", toolCallId="c", title="x", rawInput={"command": words}),
        update("tool_call_update", toolCallId="c", rawOutput={"output": output}),
    ]


def of_session(words):
    server = {"name": "x", "command": words, "args": [words]}
    server["env"] = [{"name": "API_TOKEN", "value": words}]
    return [(CLIENT, request(9, "session/new", {"cwd": words, "mcpServers": [server]}))]


# Where one text may be in a message.
PLACES = {
    "a chunk": lambda words: [text("agent_message_chunk", words)],
    "a title": lambda words: [update("tool_call", toolCallId="c", title=words)],
    "a command": lambda words: with_command(words, "x7Kd92mQpL"),
    "an output": lambda words: with_command("cat /run/secrets/db_password", words),
    "a token": lambda words: [update("tool_call", toolCallId="c", rawInput={"token": words})],
    "a path": lambda words: [update("tool_call", toolCallId="c", rawInput={"path": words})],
    "a session": of_session,
}
