"""What we put is heard in full by whoever reads, however late, and nobody waits for who does not."""

import os
import threading
from select import POLLOUT, poll

import pytest

from acp_spy.runtime import stdio
from acp_spy.runtime.stderr_queue import StderrQueue

LINE = b"acp-spy: %05d\n"
MANY = [LINE % number for number in range(20_000)]  # more than any pipe holds by itself


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    yield reader, writer
    os.close(reader)
    os.close(writer)


def read_all_there_is(reader):
    data = b""
    while stdio.unread(reader):
        data += os.read(reader, 1 << 20)
    return data


def test_what_is_not_taken_at_once_is_taken_later_and_in_order(pipe):
    reader, writer = pipe
    queue = StderrQueue(writer, os.write)
    poller, handlers = poll(), {}
    queue.attach(poller, handlers)
    assert poller.poll(0) == []  # room alone does not wake the loop
    for line in MANY:
        queue.put(line)
    assert poller.poll(0) == []
    heard = b""
    while part := read_all_there_is(reader):
        heard += part
        for descriptor, events in poller.poll(0):
            handlers[descriptor](events)
    assert heard == b"".join(MANY)
    assert poller.poll(0) == []


def test_what_is_left_out_is_counted_where_it_is_missing(pipe, monkeypatch):
    monkeypatch.setattr("acp_spy.runtime.stderr_queue._MOST", 100)
    reader, writer = pipe
    queue = StderrQueue(writer, os.write)
    poller, handlers = poll(), {}
    queue.attach(poller, handlers)
    for line in MANY:
        queue.put(line)
    heard = read_all_there_is(reader)
    handlers[writer](POLLOUT)
    queue.put(b"after it\n")
    heard += read_all_there_is(reader)
    *before, gap, after = heard.splitlines(keepends=True)
    assert before == MANY[: len(before)]
    assert len(before) < len(MANY)
    left_out = len(MANY) - len(before)
    assert gap == b"acp-spy: lines omitted here because stderr was not read: %d\n" % left_out
    assert after == b"after it\n"


def test_in_the_end_a_slow_reader_is_waited_for(pipe):
    reader, writer = pipe
    said = b"".join(MANY) + b"the end\n"
    heard = bytearray()

    def read_slowly():
        while len(heard) < len(said):
            heard.extend(os.read(reader, 1000))

    queue = StderrQueue(writer, os.write)
    for line in MANY:
        queue.put(line)
    thread = threading.Thread(target=read_slowly)
    thread.start()
    queue.wait_for_reader(-1, None)
    queue.put(b"the end\n")
    thread.join()
    assert heard == said


@pytest.mark.parametrize("patience", [None, 0], ids=["woken", "impatient"])
def test_who_does_not_read_is_not_waited_for(pipe, patience):
    """The rest is left in the pipe, as far as it can be made to hold it."""
    reader, writer = pipe
    wake, waker = os.pipe()
    if patience is None:
        os.write(waker, b"!")
    queue = StderrQueue(writer, os.write)
    for line in MANY:
        queue.put(line)
    queue.wait_for_reader(wake, patience)
    queue.put(b"the end\n")
    assert read_all_there_is(reader) == b"".join(MANY) + b"the end\n"
    os.close(wake)
    os.close(waker)


def test_a_reader_that_has_gone_is_no_error(pipe):
    reader, writer = pipe
    queue = StderrQueue(writer, os.write)
    for line in MANY:
        queue.put(line)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, reader)
    os.close(null)
    queue.wait_for_reader(-1, None)
    queue.put(b"to nobody\n")
