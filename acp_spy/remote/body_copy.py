"""A copy of an HTTP body, decoded as its `Content-Encoding` says, in bounded memory."""

import zlib

from acp_spy.remote.inflate import Inflate

_STEP = 16 * 1024  # bytes in; a byte of deflate is at most about a thousand bytes out
_BOMB = 100  # times larger than what came; messages grow thirty times

_KNOWN = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


class Decoded:
    """
    Takes the bytes of a body and gives what they mean.

    An encoding that is `unknown` here is left as it is. A body that does not decode, or grows
    beyond `most` bytes and a hundred times its size, is left as it came from there on. What is
    after the end of the compressed data, and is not compressed, is left out.
    """

    def __init__(self, encoding: str, most: int) -> None:
        encoding = encoding.strip().lower()
        self.unknown = "" if encoding in _KNOWN else encoding
        self._most = most
        self._came = self._grown = 0  # bytes, in all
        is_compressed = encoding in ("gzip", "x-gzip", "deflate")
        self._inflate = Inflate(47, most=_STEP) if is_compressed else None
        self._is_over = False

    def feed(self, data: bytes) -> bytes:
        """Return what `data` adds."""
        if self._is_over:
            return b""
        if self._inflate is None:
            return data
        parts: list[bytes] = []
        for start in range(0, len(data), _STEP):
            try:
                part = self._inflate.decompress(data[start : start + _STEP])
            except zlib.error as error:
                self._is_over = self._inflate.has_ended
                self._inflate = None
                parts.append(error.args[0] if self._is_over else data[start:])
                break
            parts.append(part)
            self._came += min(_STEP, len(data) - start)
            self._grown += len(part)
            if self._grown > max(self._most, _BOMB * self._came):
                self._inflate = None
                break
        return b"".join(parts)
