import tracemalloc

from support.families import for_each

from acp_spy.remote.sse import SseReader

STREAM = (
    b'\xef\xbb\xbfdata: {"a":1}\n\n: keep-alive\n\n:\n\ndata: x\r\ndata: y\r\n\r\n'
    b"id: 3\nevent: message\nretry: 10\ndata:z\n\n\n\ndata: q\r\rdata\n\n"
)
EVENTS = [b'{"a":1}', b"x\ny", b"z", b"q", b""]


@for_each(range(1, len(STREAM) + 1), str)
def test_events_are_the_same_however_the_stream_is_cut(size):
    reader = SseReader()
    pieces = (STREAM[at : at + size] for at in range(0, len(STREAM), size))
    assert [event for piece in pieces for event in reader.feed(piece)] == EVENTS
    assert (reader.events, reader.comments) == (len(EVENTS), 2)


def test_an_event_that_does_not_end_can_be_taken_in_parts():
    reader = SseReader()
    assert reader.feed(b"data: " + b"x" * 90) == []
    assert reader.held == 96
    assert reader.take_held() == b"data: " + b"x" * 90
    assert reader.held == 0
    assert reader.feed(b"xyz") == []
    assert reader.feed(b"\n\ndata: y\n\n") == [b"xyz", b"y"]
    assert reader.feed(b"data: z") == []
    assert reader.close() == b""  # nobody has taken a part of it: it is no event
    reader.take_held()
    reader.feed(b"zz")
    assert reader.close() == b"zz"


def test_many_short_lines_of_an_event_take_little_more_memory_than_their_bytes():
    reader = SseReader()
    text = b"dd\n" * 50_000 + b"data: a\n" * 20_000
    tracemalloc.start()
    try:
        found = reader.feed(text + b"\n")
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text)
    finally:
        tracemalloc.stop()
    assert found == [b"\n".join([b"a"] * 20_000)]


def test_a_field_whose_name_only_begins_like_that_of_data_is_none():
    assert SseReader().feed(b"database: x\ndata x\n data: y\n\ndata: \n\n") == [b""]
