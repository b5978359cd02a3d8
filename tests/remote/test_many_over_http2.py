"""
Several requests at once on one connection of HTTP/2: each goes on, in the order in which it came.

Tasks of trio run in any order, so a fault shows in some of many runs. What the peers do is
generated; the time is not real.
"""

import msgspec
import trio
from h2.events import DataReceived, RequestReceived, ResponseReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.http2_peer import JSON, Http2Peer
from support.remote import Lab
from trio.testing import MockClock, wait_all_tasks_blocked

EVENTS = "text/event-stream"
QUIET = 5.0
SIZES = st.sampled_from([0, 1, 300, 5000])


def head(number):
    host = [(":scheme", "http"), (":authority", "localhost")]
    return [(":method", "POST"), *host, (":path", f"/acp/{number}"), JSON]


class Plan(msgspec.Struct, frozen=True):
    """What a client sends, and what the target sends as soon as all requests are there."""

    requests: list[list[int]]  # the parts of the body of each
    steps: list[int]  # whose next part is sent: its head, its body's parts, its end
    flushes: list[bool]  # whether that is sent by itself
    events: list[int]  # on whose response the target sends something
    places: int  # requests that the target takes at once


@st.composite
def plans(draw):
    requests = draw(st.lists(st.lists(SIZES, max_size=2), min_size=2, max_size=6))
    turns = [number for number, parts in enumerate(requests) for _ in (0, *parts, 0)]
    places = draw(st.sampled_from([100, 100, 1, 2]))
    steps = draw(st.permutations(turns)) if places == 100 else turns
    events = draw(st.lists(st.sampled_from(range(len(requests))), max_size=8))
    flushes = draw(st.lists(st.booleans(), min_size=len(steps), max_size=len(steps)))
    return Plan(requests, steps, flushes, events, places)


class Target:
    """Takes requests, and sends events on their responses when it has them all."""

    def __init__(self, plan):
        self.plan = plan
        self.asked = []  # which requests are complete, in this order
        self._streams = {}

    async def run(self, stream):
        peer = Http2Peer(stream, is_client=False)
        peer.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: self.plan.places})
        await peer.flush()
        while True:
            await peer.read()
            for event in peer.events:
                if isinstance(event, RequestReceived):
                    self._streams[event.stream_id] = dict(event.headers)[":path"].split("/")[-1]
                elif isinstance(event, StreamEnded):
                    self._answer(peer, event.stream_id)
            peer.events.clear()
            await peer.flush()

    def _answer(self, peer, ident):
        name = self._streams[ident]
        self.asked.append(name)
        is_stream = self.plan.places == 100
        ok = [(":status", "200"), ("content-type", EVENTS if is_stream else "text/plain")]
        if name == "first" or not is_stream:
            peer.h2.send_headers(ident, ok)
            peer.h2.send_data(ident, name.encode(), end_stream=True)
        elif len(self.asked) == len(self.plan.requests) + 1:
            streams = {name: ident for ident, name in self._streams.items() if name != "first"}
            for each in streams.values():
                peer.h2.send_headers(each, ok)
            for number in self.plan.events:
                peer.h2.send_data(streams[str(number)], b"!")
            for each, there in streams.items():
                peer.h2.send_data(there, each.encode(), end_stream=True)


class Client:
    """Sends the requests, and keeps in which order events come."""

    def __init__(self, plan, stream):
        self.plan = plan
        self.peer = Http2Peer(stream, is_client=True)
        self.sent = ["first"]  # which requests were complete, in this order
        self.events = []
        self.bodies = {}
        self.answered, self.lost = [], []

    async def run(self):
        ident = self.peer.h2.get_next_available_stream_id()
        self.peer.h2.send_headers(ident, head("first"), end_stream=True)
        self.bodies[ident] = b""
        await self._read_until_quiet()
        await self._send_all()
        await self._read_until_quiet()

    async def _send_all(self):
        h2, left = self.peer.h2, [["head", *parts, "end"] for parts in self.plan.requests]
        idents = {}
        for number, is_flush in zip(self.plan.steps, self.plan.flushes, strict=True):
            part = left[number].pop(0)
            if part == "head":
                ident = idents[number] = h2.get_next_available_stream_id()
                self.bodies[ident] = b""
                h2.send_headers(ident, head(number))
            elif part == "end":
                h2.end_stream(idents[number])
                self.sent.append(str(number))
            else:
                h2.send_data(idents[number], b"x" * part)
            if is_flush:
                await self.peer.flush()
        self.numbers = {ident: str(number) for number, ident in idents.items()}

    async def _read_until_quiet(self):
        while True:
            with trio.move_on_after(QUIET) as patience:
                await self.peer.read()
            if patience.cancelled_caught:
                return
            for event in self.peer.events:
                if isinstance(event, DataReceived):
                    self.bodies[event.stream_id] += event.data
                    self.events += [event.stream_id] * event.data.count(b"!")
                elif isinstance(event, StreamEnded):
                    self.answered.append(event.stream_id)
                elif isinstance(event, StreamReset):
                    self.lost.append(event.stream_id)
            self.peer.events.clear()


@settings(max_examples=effort.examples(40), deadline=None)
@given(plan=plans())
def test_what_comes_on_several_streams_goes_on_in_its_order(plan, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), http2=True)
    target = Target(plan)
    client = None

    async def main():
        nonlocal client
        async with lab.client() as stream, trio.open_nursery() as nursery:

            async def serve():
                while not lab.connections:  # noqa: ASYNC110 - there is nothing that tells it
                    await trio.sleep(0.1)
                await target.run(lab.connections[0])

            nursery.start_soon(serve)
            client = Client(plan, stream)
            await client.run()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert lab.complaints == []
    assert client.lost == []
    assert target.asked == client.sent
    for ident, number in client.numbers.items():
        assert client.bodies[ident].lstrip(b"!") == number.encode()
    assert len(client.answered) == len(plan.requests) + 1
    if plan.places == 100:
        assert [client.numbers[ident] for ident in client.events] == [*map(str, plan.events)]


def test_what_waits_for_a_place_and_is_reset_never_reaches_the_target(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            first = await client.request("GET")
            target = Http2Peer(await lab.accepted(), is_client=False)
            target.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1})
            await target.flush()
            there, _, _ = await target.requested()
            waiting = [await client.request("POST", JSON, body=b"%d" % i) for i in range(5)]
            await wait_all_tasks_blocked()
            for ident in waiting[:4]:
                client.h2.reset_stream(ident)
            await client.flush()
            await wait_all_tasks_blocked()
            await target.respond(there, 200)
            await client.until(ResponseReceived, first)
            _, _, body = await target.requested()
            assert body == b"4"
            assert not [event for event in target.events if isinstance(event, RequestReceived)]

    trio.run(main)


def test_a_reset_reaches_a_target_that_takes_no_more_of_the_request(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            first = await client.request("POST", JSON, body=b"")
            target = Http2Peer(await lab.accepted(), is_client=False)
            target.h2.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 10})
            there, _, _ = await target.requested()
            await target.respond(there, 202)
            await client.response(first)
            ident = await client.request("POST", JSON, body=b"x" * 1000, is_all=False)
            there = (await target.until(RequestReceived)).stream_id
            await wait_all_tasks_blocked()
            client.h2.reset_stream(ident)
            await client.flush()
            assert (await target.until(StreamReset)).stream_id == there

    trio.run(main)


def test_until_the_target_has_said_how_many_it_takes_there_is_one_request(tmp_path):
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            idents = [await client.request("POST", JSON, body=b"%d" % i) for i in range(3)]
            connection = await lab.accepted()
            await wait_all_tasks_blocked()
            target = Http2Peer(connection, is_client=False)
            target.events += target.h2.receive_data(bytes(await connection.receive_some()))
            assert [e.stream_id for e in target.events if isinstance(e, RequestReceived)] == [1]
            target.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1})
            for number, ident in enumerate(idents):
                there, _, body = await target.requested()
                assert body == b"%d" % number
                await target.respond(there, 202)
                assert (await client.response(ident))[0] == 202

    trio.run(main)
