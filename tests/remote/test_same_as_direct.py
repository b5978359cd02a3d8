"""
Through the relay both peers see what they would see without it, whatever either of them does.

The time is not real: waiting for what does not come takes none.
"""

from contextlib import asynccontextmanager, suppress

import h11
import msgspec
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.remote import Lab, chunk
from trio.testing import MockClock, memory_stream_pair

QUIET = 5.0  # seconds; more than the relay waits for anything but a peer
GONE = (trio.BrokenResourceError, trio.ClosedResourceError)
BODY = b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s"}}'
EVENT = b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
SWITCH = b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
# Of a connection, not of a message.
OF_CONNECTION = (b"host", b"connection", b"transfer-encoding", b"content-length", b"date")


class Plan(msgspec.Struct, frozen=True):
    """What the client sends, with its methods, and what the target responds to each request."""

    requests: list[tuple[bytes, bytes]]
    responses: list[bytes]
    client_ends: str
    client_at: int  # bytes of the first request, after which it goes
    target_at: int  # bytes of the last response, after which it goes; -1 if it stays
    piece: int  # bytes of a response that are sent at once
    early: bool  # the last response comes in the middle of its request
    more: bytes  # what follows it, that nobody has asked for


def framed(body, kind):
    if kind == "length":
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    if kind == "nothing":
        return b"\r\n" + body
    start, rest = chunk(body[:5]), chunk(body[5:]) if body[5:] else b""
    return b"Transfer-Encoding: chunked\r\n\r\n" + start + rest + b"0\r\n\r\n"


HEADERS = st.lists(
    st.sampled_from(
        [
            b"Accept: text/event-stream",
            b"Acp-Connection-Id: c-1",
            b"X-Blanks:  two  words ",
            b"X-Letters: caf\xe9",
            b"X-Empty:",
            b"Cookie: a=1",
            b"Cookie: b=2",
        ]
    ),
    max_size=3,
)


@st.composite
def requests(draw):
    method = draw(st.sampled_from([b"POST", b"POST", b"GET", b"DELETE", b"HEAD", b"OPTIONS"]))
    path = draw(st.sampled_from([b"/acp", b"/acp?x=%20", b"/other/../x"]))
    lines = [method + b" " + path + b" HTTP/1.1", b"Host: localhost", *draw(HEADERS)]
    body = b"\r\n"
    if method == b"POST":
        lines.append(b"Content-Type: application/json")
        content = draw(st.sampled_from([BODY, b"\xff no JSON", BODY * 900]))
        body = framed(content, draw(st.sampled_from(["length", "chunks"])))
    return method, b"\r\n".join([*lines, b""]) + body


@st.composite
def responses(draw, method, *, is_last):
    status = draw(
        st.sampled_from([b"200 OK", b"200", b"202 Accepted", b"204 ", b"404 No", b"500 x"])
    )
    before = draw(
        st.sampled_from([b"", b"", b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"])
    )
    lines = [b"HTTP/1.1 " + status, b"Server: s", *draw(HEADERS)]
    if draw(st.booleans()):
        lines.append(b"Content-Type: text/event-stream")
    if is_last and draw(st.booleans()):
        lines.append(b"Connection: close")
    content = draw(st.sampled_from([EVENT, EVENT * 3, EVENT[:-5], BODY * 900]))
    kind = draw(st.sampled_from(["length", "chunks", "chunks"]))
    body = framed(content, kind)
    if method == b"HEAD":
        body = body.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    elif status.startswith(b"204"):
        body = b"\r\n"
    return before + b"\r\n".join([*lines, b""]) + body


@st.composite
def plans(draw):
    asked = draw(st.lists(requests(), min_size=1, max_size=3))
    answers = [
        draw(responses(method, is_last=number == len(asked)))
        for number, (method, _) in enumerate(asked, 1)
    ]
    if draw(st.booleans()):  # a body that ends with its connection
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        answers[-1] = head + framed(b"" if asked[-1][0] == b"HEAD" else EVENT, "nothing")
        target_at = len(answers[-1])
    else:
        target_at = draw(st.integers(-1, len(answers[-1])))
    ends = draw(st.sampled_from(["stays", "stays", "half", "goes", "breaks off"]))
    at = draw(st.integers(1, len(asked[0][1]) - 1))
    early = draw(st.booleans()) and asked[-1][1].endswith(b"}")
    more = draw(st.sampled_from([b"", b"", b"\r\n", b"x"]))
    piece = draw(st.sampled_from([1, 50, 10**6]))
    return Plan(asked, answers, ends, at, target_at, piece, early, more)


async def received(stream, took):
    """Add what comes to `took`, until nothing comes any more; return whether it has ended."""
    try:
        while True:
            with trio.move_on_after(QUIET) as patience:
                data = await stream.receive_some()
            if patience.cancelled_caught:
                return False
            if not data:
                return True
            took += data
    except GONE:
        return True


class Peers:
    """Both peers of a plan, and what they have got."""

    def __init__(self, plan):
        self.plan = plan
        self.client_got, self.target_got = bytearray(), bytearray()
        self.has_client_ended = self.has_target_ended = False

    async def client(self, stream):
        plan = self.plan
        with suppress(*GONE):
            if plan.client_ends == "breaks off":
                await stream.send_all(plan.requests[0][1][: plan.client_at])
                await stream.aclose()
                return
            for number, (_, request) in enumerate(plan.requests, 1):
                is_last = number == len(plan.requests)
                await stream.send_all(request[:-9])
                if is_last and plan.early:
                    await trio.sleep(1)
                await stream.send_all(request[-9:])
                if is_last:
                    if plan.client_ends == "goes":
                        await stream.aclose()
                        return
                    if plan.client_ends == "half":
                        await stream.send_eof()
                self.has_client_ended = await received(stream, self.client_got)
                if self.has_client_ended:
                    return
        self.has_client_ended = await received(stream, self.client_got)

    async def target(self, stream):
        try:
            self.has_target_ended = await self._respond(stream)
        except GONE:
            self.has_target_ended = True

    async def _respond(self, stream):
        """Respond to all requests; return whether the client has ended."""
        plan = self.plan
        for number, response in enumerate(plan.responses, 1):
            is_last = number == len(plan.responses)
            goes = is_last and plan.target_at >= 0
            if not await self._has(stream, number, is_early=is_last and plan.early):
                return True
            data = response[: plan.target_at] if goes else response
            if is_last and plan.target_at in (-1, len(response)):
                data += plan.more
            step = max(plan.piece, len(data) // 50)
            for start in range(0, len(data), step):
                await stream.send_all(data[start : start + step])
            if goes:
                await stream.aclose()
                return False
        return await received(stream, self.target_got)

    async def _has(self, stream, number, *, is_early):
        """Read until so many requests are complete. `False` if the client has ended before."""
        while not self._has_seen(number, is_early=is_early):
            data = await stream.receive_some()
            if not data:
                return False
            self.target_got += data
        return True

    def _has_seen(self, number, *, is_early):
        found, rest = parsed_requests(self.target_got)
        has_head = is_early and len(found) == number - 1 and b"\r\n\r\n" in rest
        return has_head or len(found) >= number


@asynccontextmanager
async def direct():
    client, target = memory_stream_pair()

    async def accepted():
        await trio.lowlevel.checkpoint()
        return target

    yield client, accepted


@asynccontextmanager
async def relayed(folder):
    lab = Lab(folder)

    async def accepted():
        while not lab.connections:  # noqa: ASYNC110 - there is nothing that tells it
            await trio.sleep(0.1)
        return lab.connections[0]

    async with lab.client() as client:
        yield client, accepted
        for stream in (client, *lab.connections):
            await stream.aclose()
        await trio.sleep(10 * QUIET)
        assert lab.has_ended.is_set()  # when both have gone, nothing is left
    assert lab.complaints == []


def run(plan, connection):
    peers = Peers(plan)

    async def main():
        async with connection as (client, accepted), trio.open_nursery() as nursery:

            async def target():
                await peers.target(await accepted())

            nursery.start_soon(target)
            await peers.client(client)
            await trio.sleep(2 * QUIET)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return peers


def headers_of(event):
    pairs = [(name, value) for name, value in event.headers if name not in OF_CONNECTION]
    return sorted(pairs)


def seen_by_target(data):
    """Return the requests that are complete."""
    return parsed_requests(data)[0]


def parsed_requests(data):
    """Return the requests that are complete, and what there is of the next."""
    found, data = [], bytes(data)
    while data:
        parser = h11.Connection(h11.SERVER)
        parser.receive_data(data)
        head, body, is_whole = None, b"", False
        with suppress(h11.RemoteProtocolError):
            while (event := parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Request):
                    head = (event.method, event.target, headers_of(event))
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    is_whole = True
                    break
        if not is_whole:
            break
        found.append((head, body))
        data = parser.trailing_data[0]
    return found, data


def seen_by_client(peers):
    """Return the responses, as far as they came, and whether each is complete."""
    found, data = [], bytes(peers.client_got)
    for method, _ in peers.plan.requests:
        parser = h11.Connection(h11.CLIENT)
        parser.send(h11.Request(method=method, target="/", headers=[("host", "a")]))
        parser.send(h11.EndOfMessage())
        if data:
            parser.receive_data(data)
        if peers.has_client_ended:
            parser.receive_data(b"")
        head, body, is_whole = None, b"", False
        with suppress(h11.RemoteProtocolError):
            while (event := parser.next_event()) is not h11.NEED_DATA:
                if isinstance(event, h11.Response | h11.InformationalResponse):
                    head = (event.status_code, bytes(event.reason), headers_of(event))
                    found += [head] if isinstance(event, h11.InformationalResponse) else []
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    is_whole = True
                    break
                else:
                    break
        if head is None or body.startswith(b"acp-spy:"):
            break
        found.append((head, body, is_whole))
        data = parser.trailing_data[0]
    return found


@settings(max_examples=effort.examples(50), deadline=None)
@given(plan=plans())
def test_both_peers_see_what_they_would_see_without_it(plan, tmp_path_factory):
    alone = run(plan, direct())
    through = run(plan, relayed(tmp_path_factory.mktemp("lab")))
    assert seen_by_target(through.target_got) == seen_by_target(alone.target_got)
    if plan.client_ends in ("stays", "half"):
        assert seen_by_client(through) == seen_by_client(alone)
    if plan.target_at < 0 and b"Connection: close" not in plan.responses[-1]:  # else it has ended
        if through.target_got:  # else there was no request, and so no connection
            assert through.has_target_ended == alone.has_target_ended
        if plan.client_ends == "stays":
            assert through.has_client_ended == alone.has_client_ended


STEPS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([b"\x89\x00", b"\x81\x02{}" * 9000, None]))
)


@settings(max_examples=effort.examples(15), deadline=None)
@given(steps=STEPS)
def test_a_websocket_is_the_same_too(steps, tmp_path_factory):
    """A step is of the client or not; `None` closes its half."""

    async def talked(connection):
        got = {True: bytearray(), False: bytearray()}
        has_ended = {}
        async with connection as (client, accepted), trio.open_nursery() as nursery:

            async def read(is_client, stream):
                has_ended[is_client] = await received(stream, got[is_client])

            await client.send_all(b"GET /acp HTTP/1.1\r\nHost: localhost\r\n" + SWITCH)
            target = await accepted()
            while b"\r\n\r\n" not in await target.receive_some():
                pass
            await target.send_all(b"HTTP/1.1 101 Switching Protocols\r\n" + SWITCH)
            streams = {True: client, False: target}
            for is_client, stream in streams.items():
                nursery.start_soon(read, is_client, stream)
            for is_client, data in steps:
                with suppress(*GONE):  # a half that was closed before
                    if data is None:
                        await streams[is_client].send_eof()
                    else:
                        await streams[is_client].send_all(data)
                await trio.sleep(0.1)
        return got, has_ended

    alone = trio.run(talked, direct(), clock=MockClock(autojump_threshold=0))
    lab = relayed(tmp_path_factory.mktemp("lab"))
    through = trio.run(talked, lab, clock=MockClock(autojump_threshold=0))
    assert through == alone
