"""What a client on stdio sees when its remote agent refuses, cuts or loses something."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from base64 import b64encode
from contextlib import contextmanager, suppress
from hashlib import sha1

import pytest
import trio
from support import effort
from support.processes import ACP_SPY, DEADLINE
from support.remote import INITIALIZE, INITIALIZED, OPENED, STREAM, chunk, response

from acp_spy import Header, HttpExchange, check, load
from acp_spy.capture.records import Delivery
from acp_spy.engine.tap import Tap
from acp_spy.remote import bridge, http_client, stdio_lines
from acp_spy.remote.addresses import Guard, parse_target
from acp_spy.remote.bridge import OneConversation
from acp_spy.remote.exchange import Rules, session_in
from acp_spy.remote.service import Service
from acp_spy.remote.stdio_lines import LineReader, LineWriter
from acp_spy.wire.frame import Peer

NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
PROMPT = (
    b'{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}'
)
CREATED = b'data: {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}\n\n'


@contextmanager
def target(respond, pause=lambda _head: None):
    """
    Serve HTTP: `respond` gets a request, and the connection to send to; `False` closes it.

    `pause` gets the head whenever there is more of a body to read.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        with connection, suppress(OSError):
            held = bytearray()
            while data := connection.recv(65536):
                held += data
                mark = held.find(b"\r\n\r\n")
                head = bytes(held[: max(0, mark)])
                size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                if mark >= 0 and len(held) < mark + 4 + size:
                    pause(head)
                elif mark >= 0:
                    body = bytes(held[mark + 4 : mark + 4 + size])
                    del held[: mark + 4 + size]
                    if respond(head, body, connection) is False:
                        return
                    if head.startswith(b"DELETE"):  # which most do not answer
                        return

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/acp"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def begun(then):
    """Return how an agent responds that takes the first message and the streams, `then` so."""

    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        else:
            connection.sendall(STREAM if head.startswith(b"GET") else then)

    return respond


def bridged(url, capture, *requests, complain=lambda _: None, status=0):
    """Send requests to a bridge, each after the response to the last; return the responses."""
    tap = Tap(time.monotonic_ns(), complain=print)
    tap.open(str(capture), Header())
    service = Service(
        parse_target(url),
        bridge.OneConversation(lambda: tap),
        Rules(),
        Guard("127.0.0.1"),
        complain,
    )
    stdin, to_bridge = os.pipe()
    from_bridge, stdout = os.pipe()
    responses = []
    statuses = []

    async def client():
        lines = LineReader(from_bridge)
        for request in requests:
            os.write(to_bridge, request + b"\n")
            responses.append(json.loads(await anext(lines)))
        os.close(to_bridge)

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + DEADLINE
            nursery.start_soon(client)
            statuses.append(await bridge.HttpBridge(service, []).run())
        service.conversations.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bridge, "RETRIES", (0.0,))
        patch.setattr(bridge, "ORDERLY", DEADLINE)
        patch.setattr(bridge, "LineReader", lambda: LineReader(stdin))
        patch.setattr(bridge, "LineWriter", lambda: LineWriter(stdout))
        try:
            trio.run(main)
        finally:
            for descriptor in (stdin, from_bridge, stdout):
                os.close(descriptor)
    assert statuses == [status]
    return responses


def test_a_refusal_is_an_error_with_the_status_and_the_text(tmp_path):
    with target(begun(response(401, b"who are you?"))) as url:
        _, refused = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW)
    assert refused["id"] == 1
    assert refused["error"]["message"] == (
        "acp-spy: the agent refused it with HTTP 401: who are you?"
    )
    assert refused["error"]["data"] == {"origin": "acp-spy", "httpStatus": 401}
    assert load(tmp_path / "run.jsonl").frames[-1].message == refused


ODD = [b'"\\ud83d"', b"1e400"]  # half an emoji, as JavaScript writes it, and a number beyond all


@pytest.mark.parametrize("odd", ODD)
def test_a_request_that_msgspec_refuses_names_its_session_and_gets_its_error(odd, tmp_path):
    heads = []

    def respond(head, body, connection):
        heads.append(head)
        begun(response(400, b"no"))(head, body, connection)

    prompt = PROMPT.replace(b"[]", odd)
    with target(respond) as url:
        _, refused = bridged(url, tmp_path / "run.jsonl", INITIALIZE, prompt)
    assert refused["id"] == 2
    assert refused["error"]["message"] == "acp-spy: the agent refused it with HTTP 400: no"
    assert b"acp-session-id: s-1\r\n" in heads[-2]  # the last one ends the connection


@pytest.mark.parametrize("odd", ODD)
def test_a_response_that_msgspec_refuses_is_delivered_and_recorded_as_a_message(odd, tmp_path):
    body = INITIALIZED.replace(b'{"protocolVersion":1}', odd)
    opened = response(200, body, "Content-Type: application/json", "Acp-Connection-Id: c-1")

    def respond(head, _body, connection):
        connection.sendall(STREAM if head.startswith(b"GET") else opened)

    with target(respond) as url:
        (first,) = bridged(url, tmp_path / "run.jsonl", INITIALIZE)
    assert first == json.loads(body)
    assert load(tmp_path / "run.jsonl").frames[-1].payload == body


def test_what_cannot_be_sent_is_named_for_what_it_is(tmp_path):
    complaints = []
    answer = response(400, b"no")
    with target(begun(answer)) as url:
        bridged(
            url, tmp_path / "run.jsonl", INITIALIZE,
            b'?\n{"jsonrpc":"2.0","id":9,"result":{}}\n{"method":"_x"}\n' + NEW,
            complain=complaints.append,
        )  # fmt: skip
    why = "the agent refused it with HTTP 400: no"
    assert complaints == [
        *(f"cannot send {what}: {why}" for what in ("a message", "a response", "_x")), why
    ]  # fmt: skip


def test_an_agent_may_use_any_letters_in_its_ids_and_cookies(tmp_path):
    """Headers have bytes: those of the agent come back, and a session is spelled in UTF-8."""
    heads = []
    streams = []

    def respond(head, body, connection):
        heads.append(head)
        if body == INITIALIZE:
            connection.sendall(OPENED.replace(b"c-1", b"c-\xe9\r\nSet-Cookie: a=\xff"))
        elif head.startswith(b"GET"):
            streams.append(connection)
            connection.sendall(STREAM)
        else:
            connection.sendall(response(202))
            streams[0].sendall(chunk(CREATED.replace(b"s-1", "日本".encode())))

    with target(respond) as url:
        _, created = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW)
    assert created["result"] == {"sessionId": "日本"}
    assert all(b"acp-connection-id: c-\xe9\r\n" in head for head in heads[1:])
    assert all(b"cookie: a=\xff" in head for head in heads[1:])
    assert any("acp-session-id: 日本\r\n".encode() in head for head in heads)


def test_the_first_response_comes_before_what_the_agent_sends_by_itself(tmp_path):
    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        elif head.startswith(b"GET"):
            connection.sendall(STREAM + chunk(b'data: {"jsonrpc":"2.0","method":"_hello"}\n\n'))
        else:
            connection.sendall(response(202))

    with target(respond) as url:
        first, then = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, status=1)
    assert first["id"] == 0
    assert then["method"] == "_hello"


def test_the_first_response_is_delivered_though_the_client_ends_before_the_stream_is_open(tmp_path):
    """Many servers send the head of a stream with its first event."""

    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        elif not head.startswith(b"GET"):
            connection.sendall(response(202))

    with target(respond) as url:
        done = subprocess.run(
            [*ACP_SPY, "-o", str(tmp_path / "run.jsonl"), "--", url],
            input=INITIALIZE + b"\n", capture_output=True, timeout=DEADLINE, check=True,
        )  # fmt: skip
    assert (json.loads(done.stdout)["id"], done.stderr) == (0, b"")


def test_a_session_is_recorded_as_messages_name_it(tmp_path):
    """Else `check` would say that the header names another session."""
    prompt = '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"日本"}}'
    with target(begun(response(401, b"no"))) as url:
        bridged(url, tmp_path / "run.jsonl", INITIALIZE, prompt.encode())
    exchanges = [e for e in load(tmp_path / "run.jsonl").records if isinstance(e, HttpExchange)]
    assert [e.session for e in exchanges if e.method == "POST"] == ["", "日本"]


def test_a_session_that_is_not_spelled_in_utf_8_is_read_byte_by_byte():
    assert session_in({"acp-session-id": "s-\xe9"}) == "s-é"


def test_a_response_that_is_too_long_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(http_client, "LONGEST_LINE", 1000)

    with target(begun(response(200, b"[" * 2000))) as url:
        _, refused = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, status=1)
    assert refused["error"]["message"] == "acp-spy: the agent's response is longer than 0 MiB"


def test_no_part_of_a_line_that_is_too_long_is_posted(tmp_path, monkeypatch):
    posted, complaints = [], []

    async def read_little(descriptor):
        await trio.lowlevel.wait_readable(descriptor)
        return os.read(descriptor, 512)

    def respond(head, body, connection):
        posted.append(body)
        begun(response(202))(head, body, connection)

    for module in (bridge, stdio_lines):
        monkeypatch.setattr(module, "LONGEST_LINE", 1000)
    monkeypatch.setattr(stdio_lines, "_read", read_little)
    with target(respond) as url:
        line = b"x" * 3000 + b"\n" + INITIALIZE
        bridged(url, tmp_path / "run.jsonl", line, complain=complaints.append)
    assert [body for body in posted if body] == [INITIALIZE]
    assert complaints == ["a message of more than 65 MiB of the client was not sent on"]
    frames = load(tmp_path / "run.jsonl").frames
    assert sum(frame.raw.count(b"x") for frame in frames) >= 3000  # all parts


def test_an_event_that_is_too_long_is_an_error_and_no_part_of_it_is_delivered(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(bridge, "LONGEST_LINE", 1000)

    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        elif head.startswith(b"GET"):
            connection.sendall(STREAM + chunk(b"data: " + b"[" * 2000))
        else:
            connection.sendall(response(202))

    with target(respond) as url:
        _, refused = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, status=1)
    assert "an event is longer than 1000 bytes" in refused["error"]["message"]


def test_a_stream_that_is_lost_for_good_is_an_error_for_what_is_pending(tmp_path):
    streams = []

    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        elif head.startswith(b"GET"):
            streams.append(connection)  # before anybody can know of it
            connection.sendall(STREAM)
            return len(streams) < 2  # the second is cut at once
        else:
            connection.sendall(response(202))
            streams[0].shutdown(socket.SHUT_RDWR)
        return True

    with target(respond) as url:
        _, lost = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, status=1)
    assert lost["id"] == 1
    assert lost["error"]["message"].startswith("acp-spy: the stream of the connection was lost")


def test_a_stream_that_is_opened_again_goes_on(tmp_path):
    streams = []

    def respond(head, body, connection):
        if body == INITIALIZE:
            connection.sendall(OPENED)
        elif head.startswith(b"GET") and b"acp-session-id" in head:
            connection.sendall(STREAM)
        elif head.startswith(b"GET"):
            streams.append(connection)
            connection.sendall(STREAM)
            if len(streams) == 2:
                connection.sendall(chunk(CREATED))
        else:
            connection.sendall(response(202))
            if b"session/new" in body:
                streams[0].shutdown(socket.SHUT_RDWR)
        return True

    with target(respond) as url:
        _, created = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW)
    assert created["result"] == {"sessionId": "s-1"}


class Agent:
    """
    Responds to requests by their methods, and to a GET with a stream.

    `responses` has the response to the POST of a method. `refused` has the responses to the GETs of
    a session's stream, or of that of the connection (""), by turns: `None` opens it. `on_stream`
    has what is sent on which stream when a method came, or a GET was refused: `None` cuts it.
    """

    def __init__(self, responses=(), refused=(), on_stream=()):
        self.responses = {"initialize": OPENED, **dict(responses)}
        self.refused = dict(refused)
        self.on_stream = dict(on_stream)
        self.streams = {}

    def __call__(self, head, body, connection):
        if head.startswith(b"GET"):
            session = head.partition(b"acp-session-id: ")[2].partition(b"\r\n")[0].decode()
            refusals = self.refused.get(session, [])
            if refusals and (refusal := refusals.pop(0)):
                connection.sendall(refusal)
                self.send(f"refused {session}")
            else:
                self.streams[session] = connection
                connection.sendall(STREAM)
        elif body:
            method = json.loads(body)["method"]
            connection.sendall(self.responses.get(method, response(202)))
            self.send(method)

    def send(self, when):
        session, events = self.on_stream.get(when, ("", b""))
        if events is None:
            self.streams[session].shutdown(socket.SHUT_RDWR)
        elif events:
            self.streams[session].sendall(chunk(events))


def event(ident, result):
    return b"data: " + reply(ident, result) + b"\n\n"


def reply(ident, result):
    return json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}).encode()


LIST = b'{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}'
LOAD = b'{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"s-1"}}'


def test_an_agent_without_a_stream_of_the_connection_may_respond_to_each_post(tmp_path):
    created = response(200, reply(1, {"sessionId": "s-1"}))
    agent = Agent(
        responses={"session/new": created, "session/prompt": response(200, reply(2, "done"))},
        refused={"": [response(405)] * 9, "s-1": [response(405)] * 9},
    )
    with target(agent) as url:
        found = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, PROMPT, LIST, status=1)
    assert found[:2] == [json.loads(INITIALIZED), json.loads(reply(1, {"sessionId": "s-1"}))]
    assert found[2] == json.loads(reply(2, "done"))
    assert found[3]["id"] == 3  # it was accepted, and there is no stream
    assert found[3]["error"]["message"] == (
        "acp-spy: the stream of the connection was lost: HTTP 405"
    )


def test_the_loss_of_one_stream_does_not_fail_what_comes_on_another(tmp_path):
    agent = Agent(
        responses={"session/new": response(200, reply(1, {"sessionId": "s-1"}))},
        refused={"": [None, response(404)]},
        on_stream={"session/prompt": ("", None), "refused ": ("s-1", event(2, "done"))},
    )
    with target(agent) as url:
        *_, done = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, PROMPT)
    assert done == json.loads(reply(2, "done"))


def test_a_session_may_be_loaded_on_the_stream_of_the_connection(tmp_path):
    """An agent need not know it before, and refuses its stream."""
    agent = Agent(
        refused={"s-1": [response(404)] * 9}, on_stream={"session/load": ("", event(4, {}))}
    )
    with target(agent) as url:
        _, loaded = bridged(url, tmp_path / "run.jsonl", INITIALIZE, LOAD)
    assert loaded == json.loads(reply(4, {}))


def test_a_lost_stream_is_opened_with_the_next_request_and_brings_no_second_response(tmp_path):
    agent = Agent(
        refused={"": [None, response(404)]},
        on_stream={
            "session/new": ("", None),
            "session/list": ("", event(1, {"sessionId": "s-1"}) + event(3, {"sessions": []})),
        },
    )
    complaints = []
    with target(agent) as url:
        _, lost, listed = bridged(
            url, tmp_path / "run.jsonl", INITIALIZE, NEW, LIST, complain=complaints.append, status=1
        )
    assert (lost["id"], lost["error"]["data"]["origin"]) == (1, "acp-spy")
    assert listed == json.loads(reply(3, {"sessions": []}))
    late = "the response to request 1 came after it had failed: it was not delivered"
    assert complaints == [lost["error"]["message"].removeprefix("acp-spy: "), late]
    capture = load(tmp_path / "run.jsonl")
    [dropped] = [each for each in capture.records if isinstance(each, Delivery)]
    assert (dropped.action, dropped.by, dropped.to) == ("dropped", "acp-spy", Peer.CLIENT)
    [frame] = [each for each in capture.frames if each.seq == dropped.seq]
    assert frame.message == json.loads(reply(1, {"sessionId": "s-1"}))
    assert "RPC010" not in {finding.code for finding in check(capture)}  # it is not the agent's


@pytest.mark.parametrize(
    "opened",
    [
        response(
            200,
            event(0, {"protocolVersion": 1}),
            "Content-Type: text/event-stream",
            "Acp-Connection-Id: c-1",
        ),
        STREAM.replace(b"text/", b"Text/").replace(b"\r\n", b"\r\nAcp-Connection-Id: c-1\r\n", 1)
        + chunk(event(0, {"protocolVersion": 1})),  # and it does not end
        response(202, b"", "Acp-Connection-Id: c-1"),
    ],
    ids=["events", "stream", "nothing"],
)
def test_the_first_response_may_come_in_other_ways(opened, tmp_path):
    is_elsewhere = opened.startswith(b"HTTP/1.1 202")
    created = event(1, {"sessionId": "s-1"})
    first = event(0, {"protocolVersion": 1}) if is_elsewhere else b""

    def respond(head, body, connection):
        agent(head, body, connection)
        if head.startswith(b"GET") and first and b"acp-session-id" not in head:
            connection.sendall(chunk(first))

    agent = Agent(responses={"initialize": opened}, on_stream={"session/new": ("", created)})
    with target(respond) as url:
        found = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW)
    assert found == [json.loads(INITIALIZED), json.loads(reply(1, {"sessionId": "s-1"}))]
    assert [frame.message for frame in load(tmp_path / "run.jsonl").frames[1::2]] == found


@pytest.mark.parametrize("said", [b"Accepted", b"null", b'{"status":"accepted"}', b"<p>ok</p>"])
def test_what_a_framework_says_of_what_it_accepts_is_no_response(said, tmp_path):
    accepted = response(202, said)
    agent = Agent(
        responses={"session/new": accepted, "session/prompt": accepted},
        on_stream={
            "session/new": ("", CREATED),
            "session/prompt": ("s-1", event(2, {"stopReason": "end_turn"})),
        },
    )
    with target(agent) as url:
        found = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, PROMPT)
    assert [each["id"] for each in found] == [0, 1, 2]
    assert not any("error" in each for each in found)


def test_the_response_that_names_a_session_comes_before_its_first_updates(tmp_path):
    """They are on a stream that is opened because of it."""
    update = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1"}}'
    agent = Agent(on_stream={"session/new": ("", CREATED)})

    def respond(head, body, connection):
        agent(head, body, connection)
        if head.startswith(b"GET") and b"acp-session-id: s-1" in head:
            connection.sendall(chunk(b"data: " + update + b"\n\n"))

    with target(respond) as url:
        found = bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW, b"")
    assert found[1:] == [json.loads(reply(1, {"sessionId": "s-1"})), json.loads(update)]
    frames = load(tmp_path / "run.jsonl").frames
    assert [frame.message for frame in frames if frame.sender is Peer.AGENT] == found


def test_a_second_initialize_that_is_refused_ends_no_connection(tmp_path):
    agent = Agent(on_stream={"session/new": ("", CREATED)})

    def respond(head, body, connection):
        if body and b"acp-connection-id: c-1" not in head and agent.streams:
            connection.sendall(response(400, b"Missing Acp-Connection-Id"))
        elif body == INITIALIZE and agent.streams:
            connection.sendall(response(400, b"This connection is initialized already"))
        else:
            agent(head, body, connection)

    with target(respond) as url:
        _, refused, created = bridged(url, tmp_path / "run.jsonl", INITIALIZE, INITIALIZE, NEW)
    assert refused["error"]["data"]["httpStatus"] == 400
    assert created["result"] == {"sessionId": "s-1"}


@pytest.mark.parametrize("kind", ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
def test_a_post_whose_events_end_without_the_response_is_an_error(kind, tmp_path):
    update = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1"}}'
    events = response(200, b"data: " + update + b"\n\n", f"Content-Type: {kind}")
    agent = Agent(responses={"session/prompt": events})
    with target(agent) as url:
        # A line with nothing in it gets no response: the client only waits for the next line.
        _, updated, lost = bridged(url, tmp_path / "run.jsonl", INITIALIZE, PROMPT, b"", status=1)
    assert updated == json.loads(update)
    assert lost["id"] == 2
    assert lost["error"]["message"] == (
        "acp-spy: the stream of the response was lost: the agent closed it"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_fails_what_is_pending(number, tmp_path):
    methods = []

    def respond(head, body, connection):
        methods.append(head.split()[0])
        begun(response(202))(head, body, connection)
        if body == NEW:
            client.send_signal(number)

    with target(respond) as url:
        client = subprocess.Popen(
            [*ACP_SPY, "-o", str(tmp_path / "run.jsonl"), "--", url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        with client:
            client.stdin.write(INITIALIZE + b"\n")
            client.stdin.flush()
            assert json.loads(client.stdout.readline())["id"] == 0
            client.stdin.write(NEW + b"\n")
            client.stdin.flush()
            failed = json.loads(client.stdout.read())
            complaint = client.stderr.read()
    assert (failed["id"], failed["error"]["message"]) == (1, "acp-spy: ended by a signal")
    assert (client.returncode, complaint) == (1, b"acp-spy: ended by a signal\n")
    assert load(tmp_path / "run.jsonl").frames[-1].message == failed
    assert methods[-1] == b"DELETE"  # else the agent would wait for a client that has gone


def encoded(message):
    return json.dumps(message).encode()


def piped_to(program, lines):
    return subprocess.run(program, input=lines, capture_output=True, timeout=DEADLINE, check=False)


@pytest.mark.long  # it takes longer than a response may
def test_no_message_overtakes_one_that_is_still_being_sent(tmp_path):
    came, paused = [], []

    def respond(head, body, connection):
        if body:
            came.append(json.loads(body)["method"])
        begun(response(202))(head, body, connection)

    def pause(head):
        if not paused:
            paused.append(head)
            time.sleep(bridge.ORDERLY + 1)

    text = {"type": "text", "text": "x" * 16_000_000}
    prompt = {"sessionId": "s-1", "prompt": [text]}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": prompt}
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}}
    lines = b"".join(line + b"\n" for line in (INITIALIZE, *map(encoded, (asked, cancel))))
    with target(respond, pause) as url:
        piped_to([*ACP_SPY, "-o", tmp_path / "run.jsonl", "--", url], lines)
    assert came == ["initialize", "session/prompt", "session/cancel"]


@pytest.mark.parametrize("scheme", effort.some_of(["http", "ws"], "http"))
def test_what_has_no_response_fails_when_the_client_has_ended(scheme, tmp_path):
    """As with `echo ... | acp-spy -- URL`: the exit status says it, too."""

    def respond(head, body, connection):
        if b"Upgrade: websocket" in head:
            key = head.partition(b"Sec-WebSocket-Key: ")[2].split(b"\r\n")[0]
            accept = b64encode(sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            connection.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"
                b"\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
        else:
            begun(response(202))(head, body, connection)

    lines = INITIALIZE + b"\n" + NEW + b"\n"
    with target(respond) as url:
        program = [*ACP_SPY, "-o", tmp_path / "run.jsonl", "--", url.replace("http", scheme)]
        done = piped_to(program, lines)
    *_, failed = map(json.loads, done.stdout.splitlines())
    why = "acp-spy: the client ended, and no response came in 2 seconds"
    assert (failed["id"], failed["error"]["message"]) == (1, why)
    assert (done.returncode, done.stderr.decode()) == (1, why + "\n")


def test_a_blank_line_is_no_message_though_there_is_no_agent(tmp_path):
    def refuse(_head, _body, connection):
        connection.sendall(response(404))

    with target(refuse) as url:
        program = [*ACP_SPY, "-o", tmp_path / "run.jsonl", "--", url.replace("http", "ws")]
        piped_to(program, INITIALIZE + b"\n\n \n")
    assert [each.raw for each in load(tmp_path / "run.jsonl").frames][0::2] == [INITIALIZE + b"\n"]


def test_cookies_come_back(tmp_path):
    heads = []

    def respond(head, body, connection):
        heads.append(head)
        if body == INITIALIZE:
            connection.sendall(
                OPENED.replace(b"\r\n", b"\r\nSet-Cookie: route=blue; Path=/\r\n", 1)
            )
        elif head.startswith(b"GET"):
            connection.sendall(STREAM)
        else:
            connection.sendall(response(400))

    with target(respond) as url:
        bridged(url, tmp_path / "run.jsonl", INITIALIZE, NEW)
    assert b"cookie" not in heads[0]
    assert all(b"\r\ncookie: route=blue" in head for head in heads[1:])
    assert "blue" not in (tmp_path / "run.jsonl").read_text()
    assert os.path.getsize(tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            response(307, b"", "Location: https://b.example/?token=abc"),
            "the agent redirects to https://b.example/?token=redacted (HTTP 307): use that URL",
        ),
        (
            response(200, b"<html>Welcome</html>", "Content-Type: text/html; charset=utf-8"),
            "the agent responded with text/html instead of JSON (HTTP 200): check the URL",
        ),
        (response(202), "the agent responded with nothing (HTTP 202): check the URL"),
    ],
    ids=["redirected", "page", "nothing"],
)
def test_a_response_that_is_of_no_use_is_an_error_and_not_a_hang(answer, why, tmp_path):
    with target(lambda _head, _body, connection: connection.sendall(answer)) as url:
        (failed,) = bridged(url, tmp_path / "run.jsonl", INITIALIZE)
    assert failed["error"]["message"] == f"acp-spy: {why}"


def test_the_one_conversation_is_not_idle_while_it_is_in_use():
    conversations = OneConversation(lambda: None)
    conversation = conversations.begin()
    conversations.settle(conversation)
    assert [*conversations._idle.values()] == [conversation]
    assert conversations.begin() is conversation
    assert not conversations._idle
