"""Lines from a stdin that others may share, and to a stdout that is slow, by trio."""

import os

import trio
from trio.testing import wait_all_tasks_blocked

from acp_spy.remote import stdio_lines
from acp_spy.remote.stdio_lines import LineReader, LineWriter


def test_what_another_process_was_faster_to_read_is_no_end(monkeypatch):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)  # as another process may have made it
    os.write(writer, b"theirs\n")
    wait_readable = stdio_lines.wait_readable
    read_by_others = []

    async def lose_a_race(descriptor):
        if read_by_others:
            os.write(writer, b"ours\n")
            os.close(writer)
            monkeypatch.undo()
        await wait_readable(descriptor)
        if not read_by_others:
            read_by_others.append(os.read(descriptor, 64))

    monkeypatch.setattr(stdio_lines, "wait_readable", lose_a_race)

    async def main():
        return [line async for line in LineReader(reader)]

    assert trio.run(main) == [b"ours\n"]
    assert read_by_others == [b"theirs\n"]
    os.close(reader)


def test_what_was_given_to_a_writer_is_written_though_it_was_cancelled():
    reader, writer = os.pipe()
    long = b"x" * 500_000 + b"\n"  # more than a pipe holds
    got = []

    async def read():
        lines = LineReader(reader)
        while len(got) < 3:
            got.append(await anext(lines))

    async def main():
        output = LineWriter(writer)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(output.write, long)
            nursery.start_soon(output.write, long)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert output.is_behind
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await output.write(b"last\n")
        assert not output.is_behind

    trio.run(main)
    assert got == [long, long, b"last\n"]
    os.close(reader)
    os.close(writer)


def test_a_reader_that_has_gone_is_not_waited_for():
    reader, writer = os.pipe()

    async def main():
        output = LineWriter(writer)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(output.write, b"x" * 500_000)
            await wait_all_tasks_blocked()
            os.close(reader)
        await output.write(b"more")
        assert (output.is_gone, output.is_behind) == (True, False)

    trio.run(main)
    os.close(writer)
