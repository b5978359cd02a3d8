"""What we put is heard in full by whoever reads, however late, and nobody waits for who does not."""

import os

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from acp_spy.engine import stdio
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.proxy.follow import finish

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
    assert queue.is_empty
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
    assert queue.is_empty
    queue.put(b"to nobody\n")
    assert queue.is_empty


# ----------------------------------------------------------------------------- in the end


@pytest.fixture
def ended(pipe, carrier):
    """Return a queue of which much is not read when the traffic is over."""
    queue = StderrQueue(carrier, pipe[1])
    for line in MANY:
        queue.put(line)
    queue.detach()
    return queue


def run(main):
    """Run `main` by a clock that takes no time; return for how many seconds it has run."""
    clock = MockClock(autojump_threshold=0)
    before = clock.current_time()
    trio.run(main, clock=clock)
    return clock.current_time() - before


def test_a_slow_reader_is_waited_for(pipe, ended):
    reader, _ = pipe
    read = b""

    async def read_slowly():
        nonlocal read
        while not ended.is_empty:
            await trio.sleep(0.9)
            read += os.read(reader, 10_000)
            await wait_all_tasks_blocked()

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_slowly)
            await finish(None, ended, -1, 1.0)

    assert run(main) > 10
    assert read + read_all_there_is(reader) == b"".join(MANY)


def test_who_does_not_read_is_waited_for_only_so_long(pipe, ended):
    """The rest is left in the pipe, as far as it can be made to hold it."""

    async def main():
        await finish(None, ended, -1, 3.0)

    assert run(main) == pytest.approx(3.0)
    ended.put(b"the end\n")
    ended.leave_rest()
    assert read_all_there_is(pipe[0]) == b"".join(MANY) + b"the end\n"


def test_who_asks_for_the_end_need_not_wait(ended):
    wake, waker = os.pipe()

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(finish, None, ended, wake, float("inf"))
            await trio.sleep(60)
            os.write(waker, b"!")

    assert run(main) == pytest.approx(60)
    os.close(wake)
    os.close(waker)
