"""
A client or a target that speaks HTTP/2 sees what it would see of a peer that speaks HTTP/1.1.

Whether all of a message has come is the question: the end of a stream says so, a reset that not.
The time is not real: waiting for what does not come takes none.
"""

from contextlib import suppress

import msgspec
import pytest
import trio
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    RequestReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.http2_peer import ACP, JSON, Http2Peer
from support.remote import Lab, chunk
from trio.testing import MockClock

QUIET = 5.0
GONE = (trio.BrokenResourceError, trio.ClosedResourceError)
SIZES = st.sampled_from([0, 1, 100, 20_000, 100_000])


class Plan(msgspec.Struct, frozen=True):
    """How much of a request and of a response there is, and how much of them is sent."""

    request: int
    sent: int  # of the request, before the client waits, goes or resets
    then: str  # what the client does
    response: int
    answered: int  # of the response, before the target goes; -1 if it sends all
    asked: int  # bytes of the request that the target reads before it responds
    is_chunked: bool
    window: int  # of the client


@st.composite
def plans(draw):
    request, response = draw(SIZES), draw(SIZES)
    sent = draw(st.sampled_from([request, request, request // 2]))
    answered = draw(st.sampled_from([-1, -1, response // 2]))
    return Plan(
        request,
        sent,
        draw(st.sampled_from(["stays", "stays", "resets", "goes"])) if sent < request else "stays",
        response,
        answered if response else -1,
        draw(st.sampled_from([sent, sent, sent // 2, 0])),
        draw(st.booleans()),
        draw(st.sampled_from([5000, 20_000, 65535])),
    )


class Client:
    """Speaks HTTP/2, and makes room for what it has got."""

    def __init__(self, plan, stream):
        self.plan = plan
        self.peer = Http2Peer(stream, is_client=True)
        self.peer.h2.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: plan.window})
        self.status, self.body, self.end = 0, b"", ""

    async def run(self):
        peer, plan = self.peer, self.plan
        peer.h2.send_headers(1, [(":method", "POST"), *ACP, JSON], end_stream=not plan.request)
        left = plan.sent
        while True:
            with suppress(H2Error):
                while left and (size := min(peer.h2.local_flow_control_window(1), 16384, left)):
                    left -= size
                    is_all = not left and plan.sent == plan.request
                    peer.h2.send_data(1, b"x" * size, end_stream=is_all)
            await peer.flush()
            if not left and plan.then != "stays":
                await self._go()
                return
            with trio.move_on_after(QUIET) as patience:
                await peer.read()
            if patience.cancelled_caught or peer.has_ended or not self._took():
                return

    async def _go(self):
        await trio.sleep(QUIET)
        if self.plan.then == "resets":
            with suppress(H2Error):
                self.peer.h2.reset_stream(1, ErrorCodes.CANCEL)
            await self.peer.flush()
            await trio.sleep(QUIET)
        await self.peer.stream.aclose()

    def _took(self):
        """Take what has come; return whether more may come."""
        for event in self.peer.events:
            if isinstance(event, ResponseReceived):
                self.status = int(dict(event.headers)[":status"])
            elif isinstance(event, DataReceived):
                self.body += event.data
                with suppress(H2Error):
                    size = event.flow_controlled_length
                    self.peer.h2.acknowledge_received_data(size, 1)
            elif isinstance(event, StreamEnded | StreamReset):
                self.end = self.end or type(event).__name__
        self.peer.events.clear()
        return not self.end


async def target_of_http_1(plan, stream):
    got = b""
    while b"\r\n\r\n" not in got or got.count(b"x") < plan.asked:
        data = await stream.receive_some()
        if not data:
            return
        got += data
    body = b"y" * plan.response
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    if plan.is_chunked:
        data = head + b"Transfer-Encoding: chunked\r\n\r\n"
        data += (chunk(body) if body else b"") + b"0\r\n\r\n"
    else:
        data = head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    at = data.index(b"\r\n\r\n") + 4 + plan.answered if plan.answered >= 0 else len(data)
    await stream.send_all(data[:at])
    if plan.answered >= 0 or plan.asked < plan.request:
        await stream.aclose()


async def target_of_http_2(plan, stream):
    peer = Http2Peer(stream, is_client=False)
    await peer.flush()
    there = (await peer.until(RequestReceived)).stream_id
    got = 0
    while got < plan.asked:
        event = await peer.until(DataReceived, there)
        got += len(event.data)
        peer.h2.acknowledge_received_data(event.flow_controlled_length, there)
    head = [(":status", "200"), ("content-type", "text/plain")]
    if not plan.is_chunked:
        head.append(("content-length", str(plan.response)))
    peer.h2.send_headers(there, head)
    left = plan.response if plan.answered < 0 else plan.answered
    while left:
        size = min(peer.h2.local_flow_control_window(there), 16384, left)
        if size:
            peer.h2.send_data(there, b"y" * size)
            left -= size
            await peer.flush()
        else:
            await peer.read()
    if plan.answered >= 0:
        peer.h2.reset_stream(there, ErrorCodes.INTERNAL_ERROR)
    else:
        peer.h2.end_stream(there)
        with suppress(H2Error):  # all of the request may have come meanwhile
            peer.h2.reset_stream(there, ErrorCodes.NO_ERROR)
    await peer.flush()
    while not peer.has_ended:
        await peer.read()


@pytest.mark.parametrize("speak", [target_of_http_1, target_of_http_2])
@settings(max_examples=effort.examples(25), deadline=None)
@given(plan=plans())
def test_a_response_is_whole_or_says_that_it_is_not(speak, plan, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), http2=speak is target_of_http_2)
    seen = None

    async def main():
        nonlocal seen
        async with lab.client() as stream, trio.open_nursery() as nursery:

            async def target():
                while not lab.connections:  # noqa: ASYNC110 - there is nothing that tells it
                    await trio.sleep(0.1)
                with suppress(*GONE, H2Error):
                    await speak(plan, lab.connections[0])

            nursery.start_soon(target)
            client = Client(plan, stream)
            with suppress(*GONE):
                await client.run()
            await trio.sleep(QUIET)
            seen = client
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert lab.complaints == []
    if plan.then != "stays":
        return
    if plan.answered < 0:
        assert (seen.status, seen.body, seen.end) == (200, b"y" * plan.response, "StreamEnded")
    else:
        assert (seen.status, seen.end) == (200, "StreamReset")
