"""
A client of HTTP/1.1 keeps its connection, and a target of HTTP/2 gets all requests on it in order.

However a response is cut into frames, and however its stream ends: with the last of its body, or in
a frame of its own, at once or later. The time is not real: waiting takes none.
"""

from contextlib import suppress

import h11
import msgspec
import trio
from h2.errors import ErrorCodes
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.http2_peer import Http2Peer
from support.remote import Lab
from trio.testing import MockClock

QUIET = 5.0
GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


class Plan(msgspec.Struct, frozen=True):
    """A request, and how it is responded to."""

    method: str
    body: bytes
    status: int
    response: int  # bytes of its body
    has_length: bool
    cut: int  # the bytes of a frame
    end: str  # how the stream ends
    pause: float  # before each frame, and the end
    is_early: bool  # the client sends the next request before it has the response


@st.composite
def plans(draw):
    method = draw(st.sampled_from(["POST", "POST", "GET", "HEAD"]))
    status = draw(st.sampled_from([200, 200, 202, 204, 404]))
    size = draw(st.sampled_from([0, 1, 2, 100, 20_000]))
    response = 0 if status == 204 or method == "HEAD" else size
    return Plan(
        method,
        b"{}" if method == "POST" else b"",
        status,
        response,
        status != 204 and draw(st.booleans()),
        draw(st.sampled_from([1, 7000, 16384])) if size < 1000 else 7000,
        draw(st.sampled_from(["with the last", "by itself", "by itself", "trailers"])),
        draw(st.sampled_from([0, 0, 0.01, 0.5])),
        draw(st.booleans()),
    )


async def target(lab, plan_of, got):
    peer = Http2Peer(await lab.accepted(), is_client=False)
    while len(got) < len(plan_of):
        ident, headers, body = await peer.requested()
        plan = plan_of[len(got)]
        got.append((headers[":path"], headers[":method"], body))
        head = [(":status", str(plan.status))]
        if plan.has_length:
            head.append(("content-length", str(plan.response)))
        body = b"y" * plan.response
        parts = [body[at : at + plan.cut] for at in range(0, len(body), plan.cut)]
        is_with = plan.end == "with the last"
        await trio.sleep(plan.pause)
        peer.h2.send_headers(ident, head, end_stream=is_with and not parts)
        for number, part in enumerate(parts, 1):
            await peer.flush()
            await trio.sleep(plan.pause)
            peer.h2.send_data(ident, part, end_stream=is_with and number == len(parts))
        await peer.flush()
        if not is_with:
            await trio.sleep(plan.pause)
            if plan.end == "trailers":
                peer.h2.send_headers(ident, [("x-end", "1")], end_stream=True)
            else:
                peer.h2.end_stream(ident)
            await peer.flush()


class Client:
    def __init__(self, stream):
        self.stream = stream
        self.h11 = h11.Connection(h11.CLIENT)
        self.ahead = 0

    def request(self, number, plan):
        """Return a request as bytes; h11 would not send one before it has the last response."""
        head = f"{plan.method} /{number} HTTP/1.1\r\nHost: localhost\r\n"
        if plan.method == "POST":
            head += f"Content-Length: {len(plan.body)}\r\n"
        return head.encode() + b"\r\n" + plan.body

    async def run(self, planned, seen):
        sent = 0
        for number, plan in enumerate(planned):
            while sent <= number or (sent < len(planned) and planned[sent - 1].is_early):
                await self.stream.send_all(self.request(sent, planned[sent]))
                sent += 1
            self.h11.send(h11.Request(method=plan.method, target="/", headers=[("Host", "x")]))
            self.h11.send(h11.EndOfMessage())
            seen.append(await self._response())
            self.h11.start_next_cycle()

    async def _response(self):
        status, body = 0, b""
        while True:
            event = self.h11.next_event()
            if event is h11.NEED_DATA:
                with trio.fail_after(100):
                    data = await self.stream.receive_some()
                assert data, "the connection has ended"
                self.h11.receive_data(data)
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                assert isinstance(event, h11.EndOfMessage)
                return status, body


@settings(max_examples=effort.examples(30), deadline=None)
@given(planned=st.lists(plans(), min_size=2, max_size=5))
def test_each_request_on_a_kept_connection_has_its_response(planned, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), http2=True)
    got, seen = [], []

    async def main():
        async with lab.client() as stream, trio.open_nursery() as nursery:
            nursery.start_soon(target, lab, planned, got)
            await Client(stream).run(planned, seen)
            nursery.cancel_scope.cancel()
            await trio.sleep(QUIET)
            assert not lab.has_ended.is_set()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert got == [(f"/{at}", plan.method, plan.body) for at, plan in enumerate(planned)]
    assert seen == [(plan.status, b"y" * plan.response) for plan in planned]
    assert (lab.complaints, len(lab.connections)) == ([], 1)


def test_a_response_is_whole_by_its_length_though_its_stream_is_reset(tmp_path):
    lab = Lab(tmp_path, http2=True)
    seen = []

    async def main():
        plan = Plan("POST", b"{}", 200, 3, True, 9, "", 0, False)
        async with lab.client() as stream, trio.open_nursery() as nursery:
            nursery.start_soon(Client(stream).run, [plan], seen)
            peer = Http2Peer(await lab.accepted(), is_client=False)
            ident, _, _ = await peer.requested()
            await peer.respond(ident, 200, ("content-length", "3"), body=b"yes", is_all=False)
            with suppress(*GONE):
                peer.h2.reset_stream(ident, ErrorCodes.INTERNAL_ERROR)
                await peer.flush()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert seen == [(200, b"yes")]
