"""
One side of the long conversation of `conversation.py`: `python -m benchmarks.peers.talker FRAMES`.

Both sides know all of it. Each sends its own frames, and before one that follows a frame of the
other it waits for as many lines as the other has to say until then. So nothing is looked at.
"""

import os
import sys

import msgspec

from benchmarks.conversation import messages

_MOST = 64 * 1024  # bytes that are sent at once


class Talker:
    """Says the part of `sender` in a conversation of `frames`."""

    def __init__(self, sender, frames, source, sink):
        self._sender = sender
        self._frames = frames
        self._source = source
        self._sink = sink

    def talk(self):
        """Say all of it; give the number of frames that were said so far, after each pause."""
        said, due, unsent = 0, 0, bytearray()
        for sender, message in messages(self._frames):
            said += 1
            if sender != self._sender:
                self._send(unsent)
                due += 1
                continue
            if due:
                self._hear(due)
                due = 0
                yield said
            unsent += msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n"
            if len(unsent) > _MOST:
                self._send(unsent)
        self._send(unsent)
        self._hear(due)
        yield said

    def _send(self, unsent):
        with memoryview(bytes(unsent)) as left:
            sent = 0
            while sent < len(left):
                sent += os.write(self._sink, left[sent:])
        unsent.clear()

    def _hear(self, due):
        while due > 0:
            chunk = os.read(self._source, 1 << 20)
            assert chunk, "the other side ended too early"
            due -= chunk.count(b"\n")


def main():
    for _ in Talker("agent", int(sys.argv[1]), 0, 1).talk():
        pass


if __name__ == "__main__":
    main()
