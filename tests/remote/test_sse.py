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


def test_an_event_that_does_not_end_is_not_held_for_ever():
    reader = SseReader(longest=100)
    assert reader.feed(b"data: " + b"x" * 90) == []
    assert reader.feed(b"x" * 90) == [b"data: " + b"x" * 180]
    assert reader.feed(b"data: y\n\n") == [b"y"]
