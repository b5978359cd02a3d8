"""
Notice a peer that has gone without a word: its machine sleeps, or a NAT on the way forgot it.

The kernel asks a silent peer whether it is there. It does not ask while something that we have sent
is not acknowledged: it sends that again, for fifteen minutes. TCP_USER_TIMEOUT makes that shorter,
but it also ends the connection to a peer that is there and reads nothing for so long, such as an
editor in a debugger. So it is set only while a peer acknowledges nothing although it has room.
"""

import socket
import struct
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import trio

SILENCE = 15  # seconds until a silent peer is asked
INTERVAL = 15  # seconds until it is asked again
PROBES = 3  # that it may leave unanswered
LONGEST = 60  # seconds for which it may acknowledge nothing
# In Linux's `struct tcp_info`: how many segments are not acknowledged, milliseconds since something
# was, and for how many bytes the peer had room.
_INFO = struct.Struct("=24xI28xI168xI")
_CAN_LOOK = hasattr(socket, "TCP_USER_TIMEOUT") and hasattr(socket, "TCP_INFO")


class KeepAlive:
    """Does so for the connections that are added, as long as it runs."""

    def __init__(self) -> None:
        self._sockets: WeakSet[trio.socket.SocketType] = WeakSet()

    def add(self, stream: Any) -> None:
        """Look after a connection, which may be by TLS."""
        found = stream.socket
        with suppress(OSError):  # it is not TCP, or has ended
            found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            _set(found, TCP_KEEPIDLE=SILENCE, TCP_KEEPALIVE=SILENCE)  # which is macOS's name
            _set(found, TCP_KEEPINTVL=INTERVAL, TCP_KEEPCNT=PROBES)
            self._sockets.add(found)

    async def run(self) -> None:
        """Look at all of them from time to time."""
        while _CAN_LOOK:
            await trio.sleep(INTERVAL)
            for each in list(self._sockets):
                with suppress(OSError, struct.error):  # it has ended; the kernel is old
                    _limit(each)


def _limit(found: Any) -> None:
    """End a connection whose peer goes on acknowledging nothing."""
    info = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)
    waiting, since, room = _INFO.unpack_from(info)
    is_silent = waiting and room and since >= 1000 * SILENCE
    _set(found, TCP_USER_TIMEOUT=1000 * LONGEST if is_silent else 0)


def _set(found: Any, **options: int) -> None:
    for name, value in options.items():
        if hasattr(socket, name):
            found.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
