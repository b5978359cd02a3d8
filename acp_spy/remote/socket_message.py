"""A WebSocket message from its fragments, up to a length: a long one costs its sender little."""

from wsproto.events import TextMessage
from wsproto.utilities import RemoteProtocolError

from acp_spy.wire.framing import LONGEST_LINE

LONGEST = LONGEST_LINE  # characters, as of a line


class TooLong(RemoteProtocolError):  # noqa: N818 - it says what happened
    """A message is longer than we keep in memory."""


class SocketMessage:
    """Collects the fragments of text messages."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    def add(self, event: TextMessage) -> bytes | None:
        """Return the message that `event` completes, if it does. Raises `TooLong`."""
        if event.data:
            self._parts.append(event.data)
            self._size += len(event.data)
        if self._size > LONGEST:
            raise TooLong(f"a message is longer than {LONGEST // 2**20} MiB")
        if not event.message_finished:
            return None
        message = "".join(self._parts).encode()
        self._parts.clear()
        self._size = 0
        return message
