"""Compressed bytes as they come, of one stream of deflate after the other."""

import zlib

END_OF_MESSAGE = b"\x00\x00\xff\xff"  # what a WebSocket message is sent without


class Inflate:
    """
    Goes on after the end of a stream, as zlib does not.

    zlib keeps what comes after the end and copies it with each piece: 40 MB took 46 seconds. But a
    body may have several streams of gzip, and a WebSocket message may end its stream (RFC 7692,
    7.2.3.5). `most` of them may end in one piece.
    """

    def __init__(self, bits: int, most: int = 1) -> None:
        self._bits = bits
        self._most = most
        self._stream = zlib.decompressobj(bits)
        self.has_ended = False  # a stream, at least
        self._is_new = False  # nothing has come since one has ended

    def decompress(self, data: bytes, size: int = 0) -> bytes:
        """
        Return what `data` adds, up to `size` bytes if that is given.

        Raises `zlib.error`, with what came before the mistake.
        """
        out = b""
        for _ in range(self._most + 1):
            try:
                out += self._next(data, size - len(out) if size else 0)
            except zlib.error:
                raise zlib.error(out) from None
            if not self._stream.eof:
                return out
            data = self._stream.unused_data
            self._stream = zlib.decompressobj(self._bits)
            self.has_ended = self._is_new = True
            if not data or (size and len(out) >= size):
                return out
        raise zlib.error(out)

    def _next(self, data: bytes, size: int) -> bytes:
        if self._is_new and data == END_OF_MESSAGE:
            return b""
        self._is_new = self._is_new and not data
        return self._stream.decompress(data, size)

    def flush(self) -> bytes:
        """Return nothing: all that has come was returned."""
        return b""
