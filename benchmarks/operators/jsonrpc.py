"""Mistakes in requests and responses."""

from acp_spy.capture.records import Closed, Exit
from acp_spy.wire.frame import Frame
from benchmarks.mutating import AGENT, CLIENT, advertise_extension, operator

RPC = "RPC"


def _without(message, *keys):
    return {key: value for key, value in message.items() if key not in keys}


def each(family, what, *rows, pick, change, version=0):
    """Declare an operator that changes each of the picked messages."""

    def edits(talk):
        for said in pick(talk):
            message = change(said)
            if message is not None:
                yield talk.send(said, message)

    operator(family, what, *rows, version=version)(edits)


def everything(talk):
    return talk.said


def asked(talk):
    return talk.requests()


def answered(talk):
    return talk.responses()


each(
    RPC,
    "a message without `jsonrpc`",
    "RPC-01",
    pick=everything,
    change=lambda said: _without(said.message, "jsonrpc"),
)
each(
    RPC,
    "`jsonrpc` is `1.0`",
    "RPC-01",
    pick=everything,
    change=lambda said: {**said.message, "jsonrpc": "1.0"},
)
each(
    RPC,
    "`jsonrpc` is a number",
    "RPC-01",
    pick=everything,
    change=lambda said: {**said.message, "jsonrpc": 2.0},
)
each(
    RPC,
    "a response with a result and an error",
    "RPC-02",
    pick=answered,
    change=lambda said: {
        **said.message,
        "result": said.message.get("result", {}),
        "error": {"code": -32603, "message": "Internal error"},
    },
)
each(
    RPC,
    "a response with `error: null` next to its result",
    "RPC-02",
    pick=lambda talk: talk.results(),
    change=lambda said: {**said.message, "error": None},
)
each(
    RPC,
    "a response without a result or an error",
    "RPC-02",
    pick=answered,
    change=lambda said: _without(said.message, "result", "error"),
)
each(
    RPC,
    "`method` is not a string",
    "RPC-03",
    pick=asked,
    change=lambda said: {**said.message, "method": 7},
)
each(
    RPC,
    "a request without a method",
    "RPC-02",
    pick=asked,
    change=lambda said: _without(said.message, "method"),
)
each(
    RPC,
    "`params` is a list",
    "RPC-03",
    pick=asked,
    change=lambda said: {**said.message, "params": [said.params]},
)
each(
    RPC,
    "`params` is a string",
    "RPC-03",
    pick=asked,
    change=lambda said: {**said.message, "params": "none"},
)
each(
    RPC,
    "a field that JSON-RPC does not define",
    "RPC-19",
    pick=everything,
    change=lambda said: {**said.message, "timestamp": 1794730926},
)
each(
    RPC,
    "an error without a code",
    "RPC-10",
    pick=answered,
    change=lambda said: (
        {**_without(said.message, "result"), "error": {"message": "It failed"}}
        if said.method not in ("initialize", "session/new", "session/load")
        else None
    ),
)
each(
    RPC,
    "an error is a string",
    "RPC-10",
    pick=answered,
    change=lambda said: (
        {**_without(said.message, "result"), "error": "It failed"}
        if said.method not in ("initialize", "session/new", "session/load")
        else None
    ),
)
each(
    RPC,
    "the code of an error is a string",
    "RPC-10",
    pick=lambda talk: talk.responses("session/prompt", "fs/read_text_file", "session/list"),
    change=lambda said: {
        **_without(said.message, "result"),
        "error": {"code": "ENOENT", "message": "It failed"},
    },
)
each(
    RPC,
    "the code of an error is an HTTP status",
    "RPC-17",
    pick=lambda talk: talk.responses("session/prompt", "fs/read_text_file", "session/list"),
    change=lambda said: {
        **_without(said.message, "result"),
        "error": {"code": 500, "message": "Server error"},
    },
)
each(
    RPC,
    "the code of an error is reserved",
    "RPC-17",
    pick=lambda talk: talk.responses("session/prompt", "fs/read_text_file", "session/list"),
    change=lambda said: {
        **_without(said.message, "result"),
        "error": {"code": -32050, "message": "Too many requests"},
    },
)
each(
    RPC,
    "`-32000` for a quota",
    "RPC-18",
    pick=lambda talk: [
        s for s in talk.responses("session/prompt") if not talk.is_cancelled(s.request)
    ],
    change=lambda said: {
        **_without(said.message, "result"),
        "error": {"code": -32000, "message": "You exceeded your current quota"},
    },
)


def _ids(what, *rows, new, version=0):
    """Declare an operator that gives a request and its response another id."""

    def edits(talk):
        for request in talk.requests():
            answer = talk.answers.get(request.place)
            if answer:
                ident = new(request.message["id"])
                yield {
                    **talk.send(request, {**request.message, "id": ident}),
                    **talk.send(answer, {**answer.message, "id": ident}),
                }

    operator(RPC, what, *rows, version=version)(edits)


_ids("the id of a request is null", "RPC-04", "V2-22", new=lambda _: None)
_ids("the id of a request is a fraction", "RPC-04", new=lambda _: 1.5)
_ids("the id of a request is a boolean", "RPC-04", new=lambda _: True)
_ids("the id of a request is an object", "RPC-04", new=lambda old: {"n": old})

each(
    RPC,
    "a response has its id with another type",
    "RPC-05",
    pick=answered,
    change=lambda said: {
        **said.message,
        "id": str(said.message["id"])
        if isinstance(said.message["id"], int)
        else [said.message["id"]],
    },
)
each(
    RPC,
    "a response has an id that no request has",
    "RPC-08",
    pick=answered,
    change=lambda said: {**said.message, "id": 99_999},
)
each(
    RPC,
    "a response has the id null",
    "RPC-08",
    "RPC-11",
    pick=answered,
    change=lambda said: {**said.message, "id": None},
)
each(
    RPC,
    "a response without an id",
    "RPC-02",
    pick=answered,
    change=lambda said: _without(said.message, "id"),
)


@operator(RPC, "a request is never answered", "RPC-06")
def unanswered(talk):
    for said in talk.responses():
        yield talk.drop(said)


@operator(RPC, "a response is sent twice", "RPC-06")
def answered_twice(talk):
    for said in talk.responses():
        yield talk.after(said, said.sender, said.message)


@operator(RPC, "a response is sent again much later", "RPC-06")
def answered_again(talk):
    for said in talk.responses():
        later = [other for other in talk.said if other.place > said.place + 4]
        reused = [
            one for one in later if one.is_request and one.message["id"] == said.message["id"]
        ]
        if later and not [one for one in reused if one.sender is not said.sender]:
            yield talk.after(later[0], said.sender, said.message)


@operator(RPC, "a request has the id of one that is pending", "RPC-09")
def reused_id(talk):
    for request in talk.requests("session/prompt", "session/list", "session/request_permission"):
        ident = request.message["id"]
        ping = {"jsonrpc": "2.0", "id": ident, "method": "_vendor/ping", "params": {}}
        yield advertise_extension(talk, talk.after(request, request.sender, ping))


@operator(RPC, "a notification is answered", "RPC-07")
def answered_notification(talk):
    for said in talk.notifications("session/cancel", "session/update"):
        answer = {"jsonrpc": "2.0", "id": None, "result": {}}
        yield talk.after(said, said.sender.other, answer)


@operator(RPC, "a notification is answered with an error", "RPC-07")
def refused_notification(talk):
    for said in talk.notifications("session/cancel", "session/update"):
        error = {"code": -32601, "message": "Method not found"}
        yield talk.after(said, said.sender.other, {"jsonrpc": "2.0", "id": None, "error": error})


@operator(RPC, "a parse error has an invented id", "RPC-11")
def invented_id(talk):
    for said in talk.requests("session/prompt"):
        error = {"code": -32700, "message": "Parse error"}
        yield talk.after(said, AGENT, {"jsonrpc": "2.0", "id": -1, "error": error})


@operator(RPC, "a request with a method that ACP does not define", "EXT-05")
def unknown_request(talk):
    for said in talk.requests("session/prompt"):
        sender = said.sender
        message = {"jsonrpc": "2.0", "id": 70_001, "method": "session/ping", "params": {}}
        error = {"code": -32601, "message": "Method not found"}
        answer = {"jsonrpc": "2.0", "id": 70_001, "error": error}
        edit = talk.before(said, sender, message)
        edit[said.place][1:1] = talk.before(said, sender.other, answer)[said.place][:1]
        yield edit


@operator(RPC, "a notification with a method that ACP does not define", "EXT-05")
def unknown_notification(talk):
    for said in talk.updates():
        yield talk.after(
            said, AGENT, {"jsonrpc": "2.0", "method": "agent/status", "params": {"busy": True}}
        )


@operator(RPC, "an unknown method is refused with another code than `-32601`", "RPC-12", "EXT-06")
def wrong_code(talk):
    for said in talk.requests("session/prompt"):
        request = {"jsonrpc": "2.0", "id": 70_001, "method": "_vendor/ping", "params": {}}
        error = {"code": -32600, "message": "Method not found: _vendor/ping"}
        answer = {"jsonrpc": "2.0", "id": 70_001, "error": error}
        edit = talk.before(said, CLIENT, request)
        edit[said.place][1:1] = talk.before(said, AGENT, answer)[said.place][:1]
        yield advertise_extension(talk, edit)


@operator(RPC, "a custom request is never answered", "EXT-06", "RPC-06")
def custom_request_unanswered(talk):
    for said in talk.requests("session/prompt"):
        request = {"jsonrpc": "2.0", "id": 70_001, "method": "_vendor/ping", "params": {}}
        yield advertise_extension(talk, talk.before(said, CLIENT, request))


def _kinds(what, *rows, pick, change):
    def edits(talk):
        for said in pick(talk):
            answer = talk.answers.get(said.place)
            edit = talk.send(said, change(said))
            yield {**edit, **(talk.drop(answer) if answer else {})}

    operator(RPC, what, *rows)(edits)


_kinds(
    "a request is sent without an id",
    "RPC-14",
    "PER-01",
    pick=lambda talk: talk.requests(
        "session/request_permission",
        "session/set_mode",
        "session/set_config_option",
        "fs/read_text_file",
        "fs/write_text_file",
        "session/list",
        "session/close",
        "terminal/output",
        "session/prompt",
    ),
    change=lambda said: _without(said.message, "id"),
)


@operator(RPC, "`session/cancel` is sent as a request", "RPC-14", "CAN-01")
def cancel_as_request(talk):
    for said in talk.notifications("session/cancel"):
        message = {**said.message, "id": 70_001}
        error = {"code": -32601, "message": "Method not found"}
        answer = {"jsonrpc": "2.0", "id": 70_001, "error": error}
        edit = talk.send(said, message)
        edit[said.place] += talk.after(said, AGENT, answer)[said.place][1:]
        yield edit


@operator(RPC, "`session/update` is sent as a request", "RPC-14")
def update_as_request(talk):
    for said in talk.updates():
        message = {**said.message, "id": 70_001}
        answer = {"jsonrpc": "2.0", "id": 70_001, "result": {}}
        edit = talk.send(said, message)
        edit[said.place] += talk.after(said, CLIENT, answer)[said.place][1:]
        yield edit


@operator(RPC, "the agent sends a method of the client", "RPC-15")
def wrong_direction(talk):
    for said in talk.notifications("session/cancel"):
        yield talk.after(said, AGENT, said.message)
    for said in talk.updates("agent_message_chunk", "agent_message"):
        yield talk.after(
            said,
            AGENT,
            {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": said.session}},
        )


@operator(RPC, "the client sends an update", "RPC-15")
def update_by_client(talk):
    for said in talk.updates("agent_message_chunk", "agent_message"):
        yield talk.after(said, CLIENT, said.message)


@operator(RPC, "two messages are sent as a batch", "RPC-16", "V2-26")
def batch(talk):
    for one, two in zip(talk.said, talk.said[1:], strict=False):
        if one.sender is two.sender and two.place == one.place + 1:
            yield {**talk.send(one, [one.message, two.message]), **talk.drop(two)}


@operator(RPC, "the agent dies in a turn", "X-02", "RPC-06")
def death(talk):
    for prompt, answer, between in talk.turns():
        if not between:
            continue
        for status in (-11, 1):
            rest = {place: [] for place in range(answer.place, len(talk.records))}
            t = answer.frame.t
            rest[answer.place] = [Closed(t, AGENT), Exit(t, status)]
            opened = {
                said.place
                for said in talk.requests()
                if prompt.place <= said.place < answer.place
                and talk.answers.get(said.place, said).place > answer.place
            }
            if len(opened) <= 1:
                yield rest


@operator(RPC, "the agent stops answering, and the client closes", "X-01", "X-02", "PRM-03")
def silence(talk):
    for prompt, answer, _ in talk.turns():
        later = [
            place
            for place, record in enumerate(talk.records)
            if place >= answer.place and isinstance(record, Frame)
        ]
        if not talk.is_cancelled(prompt):
            yield {place: [] for place in later}


def _misspelled(what, old, new, version=0):
    """Declare an operator that misspells the method of one message."""

    def edits(talk):
        for said in talk.said:
            if said.message.get("method") == old:
                yield talk.send(said, {**said.message, "method": new})

    operator(RPC, what, "EXT-05", "EXT-09", version=version)(edits)


_misspelled("`session/update` is misspelled", "session/update", "session/updates")
_misspelled("`session/update` is in camel case", "session/update", "sessionUpdate")
_misspelled("`session/prompt` is misspelled", "session/prompt", "session/promt")
_misspelled("`session/prompt` has a dot", "session/prompt", "session.prompt")
_misspelled("`session/new` is misspelled", "session/new", "session/create")
_misspelled("`session/cancel` is misspelled", "session/cancel", "session/cancelled")
_misspelled(
    "`session/request_permission` is in camel case",
    "session/request_permission",
    "session/requestPermission",
)
_misspelled("`fs/read_text_file` is misspelled", "fs/read_text_file", "fs/readTextFile")
_misspelled("`initialize` is misspelled", "initialize", "initialise")
