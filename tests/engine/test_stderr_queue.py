"""What we put is heard in full by whoever reads, however late, and nobody waits for who does not."""

import os

import pytest

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.stderr_queue import StderrQueue

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


@pytest.fixture
def carrier():
    made = Carrier()
    yield made
    made.close()


def test_what_is_not_taken_at_once_is_taken_later_and_in_order(pipe, carrier):
    reader, writer = pipe
    queue = StderrQueue(carrier, writer)
    assert not carrier.turn(0)  # room alone is of no interest
    for line in MANY:
        queue.put(line)
    assert not carrier.turn(0)
    read = b""
    while part := read_all_there_is(reader):
        read += part
        carrier.turn(0)
    assert read == b"".join(MANY)
    assert not queue.pending
    assert not carrier.turn(0)


def test_what_is_left_out_is_counted_where_it_is_missing(pipe, carrier, monkeypatch):
    monkeypatch.setattr("acp_spy.engine.stderr_queue._MOST", 100)
    reader, writer = pipe
    queue = StderrQueue(carrier, writer)
    for line in MANY:
        queue.put(line)
    read = read_all_there_is(reader)
    carrier.turn(0)
    queue.put(b"after it\n")
    read += read_all_there_is(reader)
    *before, gap, after = read.splitlines(keepends=True)
    assert before == MANY[: len(before)]
    assert len(before) < len(MANY)
    left_out = len(MANY) - len(before)
    assert gap == b"acp-spy: lines omitted here because stderr was not read: %d\n" % left_out
    assert after == b"after it\n"


def test_a_reader_that_has_gone_is_no_error(pipe, carrier):
    reader, writer = pipe
    queue = StderrQueue(carrier, writer)
    for line in MANY:
        queue.put(line)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, reader)
    os.close(null)
    carrier.turn(0)
    assert not queue.pending
    queue.put(b"to nobody\n")
    assert not queue.pending
