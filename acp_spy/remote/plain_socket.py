"""
A TCP connection that is read and written with as few steps as possible.

trio's own stream tries to read before it waits, and lets all other tasks run after each write: for
a message that is forwarded, these cost as much as everything else. Here a read waits first, because
there is nearly always nothing yet, and a write that the kernel takes at once does not wait. After a
read that has filled half of its buffer there is nearly always more: then a few do not wait either.
The one after them lets the other tasks run, so none of them starves.
"""

import os
import select
import struct
from contextlib import suppress
from socket import SO_LINGER, SO_RCVBUF, SOL_SOCKET
from typing import Any

import trio
from trio.lowlevel import wait_readable

_AT_ONCE = 3  # reads that do not wait
# Bytes of a write. The reader wakes up after the first and reads while we write the next: with
# writes of 256 KiB a burst took three times as long on a machine that is busy.
_PIECE = 64 * 1024
LINGER = 1.0  # seconds of silence of a peer that gets to read our response while it still sends
LONGEST_LINGER = 30.0  # in all
_HANG_UP = 1.0  # seconds between two looks at whether a peer has gone
_LOOPBACK = ("127.0.0.1", "::1")


class PlainSocket:
    """A connection of trio's, with its methods and errors."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._is_sending = False
        self._at_once = 0  # reads before the next that waits

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket itself."""
        return self._stream.socket

    async def receive_some(self, most: int) -> bytes:
        """Return what has come, at most `most` bytes; empty at the end."""
        while True:
            if self._at_once:
                self._at_once -= 1
            else:
                await wait_readable(self._descriptor())
                self._at_once = _AT_ONCE
            try:
                data = os.read(self._descriptor(), most)
            except BlockingIOError:
                self._at_once = 0
                continue
            if 2 * len(data) < most:
                self._at_once = 0
            return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send `data`, and wait for a slow reader."""
        if len(data) > _PIECE:
            whole = memoryview(data)
            for start in range(0, len(data), _PIECE):
                await self._send(whole[start : start + _PIECE])
        else:
            await self._send(data)

    async def _send(self, data: bytes | bytearray | memoryview) -> None:
        sent = 0
        if not self._is_sending:
            with suppress(BlockingIOError):
                sent = os.write(self._descriptor(), data)
        if sent < len(data):
            self._is_sending = True
            try:
                await self._stream.send_all(memoryview(data)[sent:])
            finally:
                self._is_sending = False

    def hold_bursts(self, size: int) -> None:
        """
        Let the kernel hold that many bytes for us, so that a burst is read in few pieces.

        Only on this machine: the kernel no longer fits the size to the distance afterwards.
        """
        with suppress(OSError):
            if self._stream.socket.getpeername()[0] in _LOOPBACK:
                self._stream.setsockopt(SOL_SOCKET, SO_RCVBUF, size)

    async def send_eof(self) -> None:
        """Close our half."""
        await self._stream.send_eof()

    def reset_at_close(self) -> None:
        """Let the peer see an error at the end, not the end of what was sent."""
        with suppress(OSError):
            self._stream.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    def _descriptor(self) -> int:
        found = self._stream.socket.fileno()
        if found < 0:
            raise trio.ClosedResourceError("this connection is closed")
        return found


async def end_gently(stream: Any, *, still_sends: bool = True) -> None:
    """
    Close our half, and take what a peer still sends, for a while.

    A connection that is closed with something unread is reset, and our response is lost with it.
    """
    with trio.move_on_after(LONGEST_LINGER), trio.move_on_after(LINGER) as silence:
        await stream.send_eof()
        while still_sends and await stream.receive_some(_PIECE):
            silence.deadline = trio.current_time() + LINGER


async def hang_up_of(stream: Any) -> None:
    """Wait until a peer has ended its connection, behind bytes that are not to be read yet."""
    await _event_of(stream, getattr(select, "POLLRDHUP", 0))


async def reset_of(stream: Any) -> None:
    """Wait until a connection is broken; a peer that only sends no more has not broken it."""
    await _event_of(stream, 0)


async def _event_of(stream: Any, events: int) -> None:
    """Wait for one of these events, or for the loss of a connection, which is always one."""
    poll = select.poll()
    if isinstance(stream, PlainSocket | trio.SocketStream):  # no other says it
        poll.register(stream.socket, events)
    while not poll.poll(0):  # noqa: ASYNC110 - nothing wakes us but more to read
        await trio.sleep(_HANG_UP)


def plain(stream: Any) -> Any:
    """Return a connection without TLS as a `PlainSocket`, and others as they are."""
    return PlainSocket(stream) if isinstance(stream, trio.SocketStream) else stream
