"""
What one peer sends on a WebSocket, decoded from a copy of its bytes.

The bytes themselves are relayed untouched, so compression and fragments are as the peers have
agreed. Here they are only read: nothing is answered, and what cannot be read stops the reading, not
the traffic.
"""

from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, TextMessage
from wsproto.extensions import Extension, PerMessageDeflate

from acp_spy.wire.frame import Peer
from acp_spy.wire.framing import LONGEST_LINE

_STEP = 16 * 1024  # bytes in; a byte of deflate is at most about a thousand bytes out


class SocketCopy:
    """
    Reads what `sender` sends. `extensions` is the header of the response that opened the socket.

    `code` and `reason` are those of the close frame, once it came. `failure` is why no more is
    read.
    """

    def __init__(self, sender: Peer, extensions: str, longest: int = LONGEST_LINE) -> None:
        self.code = 0
        self.reason = self.failure = ""
        self.has_closed = False
        self._longest = longest
        self._parts: list[str | bytes] = []
        self._size = 0
        role = ConnectionType.SERVER if sender is Peer.CLIENT else ConnectionType.CLIENT
        self._connection = Connection(role, self._agreed(extensions))

    def _agreed(self, extensions: str) -> list[Extension]:
        for offer in extensions.split(","):
            if offer.partition(";")[0].strip().lower() == PerMessageDeflate.name:
                deflate = PerMessageDeflate()
                try:
                    deflate.finalize(offer)
                except (ValueError, IndexError):
                    self.failure = f"cannot read its compression: `{offer.strip()}`"
                return [deflate]
        return []

    def feed(self, data: bytes) -> list[tuple[bytes, bool]]:
        """Return the messages that `data` completes, each with whether it is binary."""
        found: list[tuple[bytes, bool]] = []
        for start in range(0, len(data), _STEP):
            if self.failure or self._connection.state is not ConnectionState.OPEN:
                break
            self._connection.receive_data(data[start : start + _STEP])
            for event in self._connection.events():
                if isinstance(event, TextMessage | BytesMessage):
                    self._take(event, found)
                elif isinstance(event, CloseConnection):
                    self._close(event)
                    break
        return found

    def _take(self, event: TextMessage | BytesMessage, found: list[tuple[bytes, bool]]) -> None:
        self._size += len(event.data)
        if self._size > self._longest:
            self.failure = f"a message is longer than {self._longest} bytes"
            self._parts.clear()
            return
        self._parts.append(event.data if isinstance(event, TextMessage) else bytes(event.data))
        if not event.message_finished:
            return
        if isinstance(event, TextMessage):
            message = "".join(map(str, self._parts)).encode()
        else:
            message = b"".join(part for part in self._parts if isinstance(part, bytes))
        found.append((message, isinstance(event, BytesMessage)))
        self._parts.clear()
        self._size = 0

    def _close(self, event: CloseConnection) -> None:
        if self._connection.state is ConnectionState.OPEN:  # no close frame: it cannot be read
            self.failure = event.reason or "it does not follow the WebSocket protocol"
            return
        self.has_closed = True
        self.code, self.reason = int(event.code), event.reason or ""
