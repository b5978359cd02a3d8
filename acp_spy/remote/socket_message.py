"""A WebSocket message from its fragments, up to a length: a long one costs its sender little."""

from wsproto.events import TextMessage
from wsproto.utilities import RemoteProtocolError

from acp_spy.wire.framing import LONGEST_LINE

LONGEST = LONGEST_LINE  # bytes, as of a line


class TooLong(RemoteProtocolError):  # noqa: N818 - it says what happened
    """A message is longer than we keep in memory."""


class SocketMessage:
    """Collects the fragments of text messages."""

    def __init__(self) -> None:
        self._held = bytearray()  # not the fragments: small ones take twenty times their size

    def add(self, event: TextMessage) -> bytes | None:
        """Return the message that `event` completes, if it does. Raises `TooLong`."""
        self._held += event.data.encode()
        if len(self._held) > LONGEST:
            raise TooLong(f"a message is longer than {LONGEST // 2**20} MiB")
        if not event.message_finished:
            return None
        message = bytes(self._held)
        self._held.clear()
        return message
