"""
What one peer sends on a WebSocket, decoded from a copy of its bytes.

The bytes themselves are relayed untouched, so compression and fragments are as the peers have
agreed. Here they are only read: nothing is answered, and what cannot be read stops the reading, not
the traffic. wsproto is for a peer: it takes five times as long, and a compressed message has no
limit there.
"""

import zlib

from acp_spy.remote.inflate import END_OF_MESSAGE, Inflate
from acp_spy.wire.frame import Peer
from acp_spy.wire.framing import LONGEST_LINE

_CONTINUATION, _TEXT, _BINARY, _CLOSE = 0x0, 0x1, 0x2, 0x8
_DEFLATE = "permessage-deflate"


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
        self._is_masked = sender is Peer.CLIENT
        self._longest = longest
        self._held = bytearray()
        self._message = bytearray()  # as far as its fragments have come
        self._is_binary = self._is_deflated = self._is_open = False
        self._can_inflate = self._forgets = False
        self._agree(extensions, sender.value if sender is Peer.CLIENT else "server")
        self._inflate = Inflate(-15)

    def _agree(self, extensions: str, side: str) -> None:
        for offer in extensions.split(","):
            name, *parameters = (part.strip().lower() for part in offer.split(";"))
            if name == _DEFLATE:
                self._can_inflate = True
                self._forgets = f"{side}_no_context_takeover" in parameters

    def feed(self, data: bytes) -> list[tuple[bytes, bool]]:
        """Return the messages that `data` completes, each with whether it is binary."""
        found: list[tuple[bytes, bool]] = []
        if self._has_stopped():
            return found
        held = self._held
        held += data
        at = 0
        while not self._has_stopped():
            frame = self._frame(held, at)
            if frame is None:
                break
            first, payload, at = frame
            self._take(first, payload, found)
        del held[:at]
        if self._has_stopped():
            self.stop(self.failure)
        return found

    @property
    def held(self) -> int:
        """How many bytes of a message there are that has not ended."""
        return len(self._held) + len(self._message)

    def stop(self, why: str) -> None:
        """Read no more."""
        self.failure = why
        self._held.clear()
        self._message.clear()

    def _has_stopped(self) -> bool:
        return bool(self.failure) or self.has_closed

    def _frame(self, held: bytearray, at: int) -> tuple[int, bytes, int] | None:
        """Return the first byte of the next frame, its payload, and where it ends."""
        if len(held) - at < 2:
            return None
        first, second = held[at], held[at + 1]
        size, start = second & 0x7F, at + 2
        if size >= 126:
            length = 2 if size == 126 else 8
            if len(held) < start + length:
                return None
            size = int.from_bytes(held[start : start + length], "big")
            start += length
        if size + len(self._message) > self._longest:
            self.failure = f"a message is longer than {self._longest} bytes"
            return None
        is_masked = bool(second & 0x80)
        if is_masked != self._is_masked:
            self.failure = f"a frame is {'' if is_masked else 'not '}masked"
            return None
        if is_masked:
            start += 4
        end = start + size
        if len(held) < end:
            return None
        payload = bytes(held[start:end])
        return first, _unmasked(payload, held[start - 4 : start]) if is_masked else payload, end

    def _take(self, first: int, payload: bytes, found: list[tuple[bytes, bool]]) -> None:
        kind = first & 0x0F
        if kind in (_TEXT, _BINARY):
            if self._is_open:
                self.failure = "a message begins before the last has ended"
                return
            self._is_open = True
            self._is_binary, self._is_deflated = kind == _BINARY, bool(first & 0x40)
        elif kind == _CLOSE:
            self.has_closed = True
            self.code = int.from_bytes(payload[:2], "big") if len(payload) > 1 else 1005
            self.reason = payload[2:].decode(errors="replace")
            return
        elif kind != _CONTINUATION or not self._is_open:
            if kind not in (0x9, 0xA):
                self.failure = f"a frame of kind {kind} is out of place"
            return
        if first & 0x30 or (self._is_deflated and not self._can_inflate):
            self.failure = "a frame uses an extension that was not agreed on"
            return
        self._add(payload, found, is_last=bool(first & 0x80))

    def _add(self, payload: bytes, found: list[tuple[bytes, bool]], *, is_last: bool) -> None:
        if self._is_deflated:
            payload = self._inflated(payload, is_last=is_last)
        if len(self._message) + len(payload) > self._longest:
            self.failure = f"a message is longer than {self._longest} bytes"
        if self.failure:
            return
        if not is_last:
            self._message += payload
            return
        if self._message:
            payload = bytes(self._message + payload)
            self._message.clear()
        found.append((payload, self._is_binary))
        self._is_open = False

    def _inflated(self, payload: bytes, *, is_last: bool) -> bytes:
        room = self._longest - len(self._message) + 1
        try:
            whole = payload + END_OF_MESSAGE if is_last else payload
            payload = self._inflate.decompress(whole, room)
        except zlib.error:
            self.failure = "a message cannot be decompressed"
            return b""
        if is_last and self._forgets:
            self._inflate = Inflate(-15)
        return payload


def _unmasked(payload: bytes, mask: bytearray) -> bytes:
    """Return the payload without its mask; numbers of any size make that fast."""
    size = len(payload)
    if not size or not any(mask):
        return payload
    repeated = bytes(mask) * (size // 4 + 1)
    number = int.from_bytes(payload, "big") ^ int.from_bytes(repeated[:size], "big")
    return number.to_bytes(size, "big")
