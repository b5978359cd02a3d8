import random

import pytest
from support.families import for_each

from acp_spy.remote import event_chunks
from acp_spy.remote.chunked import ChunkedReader
from acp_spy.remote.event_chunks import EventChunks, cut_messages
from acp_spy.remote.sse import SseReader


def chunk(body):
    return b"%x\r\n%b\r\n" % (len(body), body)


PLAIN = chunk(b'data: {"a":1}\n\n')
OTHERS = [
    chunk(b":\n\n"),
    chunk(b"id: 1\ndata: x\n\n"),
    chunk(b"data: a\n\ndata: b\n\n"),
    chunk(b"data: two\ndata: lines\n\n"),
    chunk(b"data: cut ") + chunk(b"in two\n\n"),
    chunk(b"data: its end is cut\n") + chunk(b"\n"),
    chunk(b"data: crlf\r\n\r\n"),
    chunk(b"data: cr\rdata: in it\n\n"),
    chunk(b"data:no blank\n\n"),
    chunk(b"data:  {}\n\n"),
    chunk(b"data: {} {}\n\n"),
    chunk(b"data: [1,\n2]\n\n"),
    b"e;x=y\r\ndata: padded\n\n\r\n",
    b"0000010\r\ndata: zeros on\n\n\r\n",
    b"0E\r\ndata: letter\n\n\r\n",
    b"E\r\ndata: letter\n\n\r\n",
]
END = b"0\r\n\r\n"


class Exact:
    """What the exact readers make of it."""

    def __init__(self):
        self.chunks, self.sse = ChunkedReader(), SseReader()

    def feed(self, data):
        return self.sse.feed(self.chunks.feed(data))


class Cut:
    """The same, by the reader under test."""

    def __init__(self):
        self.reader, self.sse = EventChunks(), SseReader()
        self.chunks = self.reader.chunks

    def feed(self, data):
        before, events, after = self.reader.feed(data)
        found = self.sse.feed(before) if before else []
        self.sse.skip(len(events))
        return [*found, *map(bytes, events), *(self.sse.feed(after) if after else [])]


@for_each([(other, size) for other in OTHERS for size in range(1, 40)], str)
def test_each_event_is_known_with_its_last_byte_however_the_stream_is_cut(case):
    other, size = case
    stream = PLAIN * 3 + other + PLAIN * 2 + other * 2 + PLAIN + END + b"HTTP/1.1 200 OK"
    exact, cut = Exact(), Cut()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_chunks, "_BURST", 1)
        for at in range(0, len(stream), size):
            if exact.chunks.is_over:
                break
            piece = stream[at : at + size]
            assert cut.feed(piece) == exact.feed(piece)
    assert (cut.chunks.is_over, cut.chunks.rest) == (exact.chunks.is_over, exact.chunks.rest)
    assert (cut.chunks.is_broken, exact.chunks.is_broken) == (False, False)
    assert (cut.sse.events, cut.sse.comments) == (exact.sse.events, exact.sse.comments)


def test_bursts_of_any_shape_are_read_as_one_by_one():
    rng = random.Random(1)
    parts = [PLAIN, *OTHERS, chunk(b"data: %b\n\n" % (b"x" * 5000))]
    weights = [200, *[1] * (len(parts) - 1)]
    for _ in range(5):
        stream = b"".join(rng.choices(parts, weights, k=2000)) + END
        exact, cut = Exact(), Cut()
        while stream:
            size = rng.choice([1, 100, 3000, 5000, 20_000, 65_536])
            piece, stream = stream[:size], stream[size:]
            assert cut.feed(piece) == exact.feed(piece)
        assert cut.chunks.is_over


def test_a_burst_of_plain_events_is_cut_at_once():
    messages, at = cut_messages(PLAIN * 100 + b"5\r\ndat")
    assert ([*map(bytes, messages)], at) == ([b'{"a":1}'] * 100, 100 * len(PLAIN))


def test_sizes_may_be_in_capital_letters():
    event = b'1B\r\ndata: {"a":"01234567890"}\n\n\r\n'
    assert cut_messages(event * 100 + b"5\r\ndat")[1] == 100 * len(event)


@pytest.mark.parametrize(
    "broken",
    [
        b"f\r\ndata: too short\n\n\r\n",
        b"5\r\ndata: too long\n\n\r\n",
        b"+f\r\ndata: {'a':1}\n\n\r\n",
        b"0xf\r\ndata: {'a':1}\n\n\r\n",
        b"1_0\r\ndata: {'a':10}\n\n\r\n",
        b"f\ndata: {'a':1}\n\n\r\n",
        b"f\r\n{'a':1}\n\n\r\n",
    ],
)
def test_a_chunk_that_is_not_as_its_size_says_is_noticed_in_a_burst(broken):
    reader = EventChunks()
    before, events, after = reader.feed(PLAIN * 300 + broken + PLAIN * 300)
    assert reader.chunks.is_broken
    assert (before, events) == (b"", [])
    assert after.startswith(b'data: {"a":1}\n\n' * 300)


def test_a_compressed_body_is_not_cut():
    assert EventChunks(can_cut=False).feed(PLAIN * 300) == (b'data: {"a":1}\n\n' * 300, [], b"")
