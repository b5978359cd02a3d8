"""Lines from a stdin that others may share, by trio."""

import os

import trio

from acp_spy.remote import stdio_lines
from acp_spy.remote.stdio_lines import LineReader


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
