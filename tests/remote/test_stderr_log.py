"""Our stderr, if nobody reads it: messages of ours do not wait, what agents write does."""

import os

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from acp_spy.remote.stderr_log import StderrLog


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for descriptor in ends:
        os.close(descriptor)


def drain(reader, most=1 << 20):
    os.set_blocking(reader, False)
    found = b""
    while len(found) < most:
        try:
            found += os.read(reader, most)
        except BlockingIOError:
            break
    return found


def test_an_agent_waits_for_the_reader_and_nobody_else_does(pipe):
    reader, writer = pipe
    log, events = StderrLog(writer), []

    async def write():
        await log.write(b"a" * 200_000 + b"\n")  # more than a pipe holds
        events.append("begun")
        await log.write(b"b\n")
        events.append("read")

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(log.run)
            nursery.start_soon(write)
            await wait_all_tasks_blocked()
            log.put(b"ours\n")
            assert events == ["begun"]
            found = b""
            while not found.endswith(b"b\n"):
                found += drain(reader)
                await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return found

    assert trio.run(main) == b"a" * 200_000 + b"\nours\nb\n"
    assert events == ["begun", "read"]
    log.close()


def test_what_an_agent_that_has_ended_has_written_is_left_to_the_reader(pipe):
    reader, writer = pipe
    log = StderrLog(writer)

    async def main():
        await log.write(b"a" * 100_000 + b"\n")
        with trio.move_on_after(0):
            await log.write(b"last words\n")

    trio.run(main)
    log.close()
    assert drain(reader).endswith(b"a\nlast words\n")


def test_what_waits_in_the_end_is_left_to_the_reader(pipe):
    reader, writer = pipe
    log = StderrLog(writer)
    log.put(b"a" * 200_000 + b"\n")
    log.put(b"last words\n")
    log.close()
    assert drain(reader).endswith(b"a\nlast words\n")


def test_a_reader_that_has_gone_makes_nobody_wait():
    reader, writer = os.pipe()
    log = StderrLog(writer)

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(log.run)
            await log.write(b"a" * 200_000)
            nursery.start_soon(log.write, b"b")
            await wait_all_tasks_blocked()
            os.close(reader)
            while len(nursery.child_tasks) > 1:
                await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(main)
    log.close()
    os.close(writer)
