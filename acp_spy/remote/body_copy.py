"""A copy of an HTTP body, decoded as its `Content-Encoding` says, in bounded memory."""

import zlib

_STEP = 16 * 1024  # bytes in; a byte of deflate is at most about a thousand bytes out

_KNOWN = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


class Decoded:
    """
    Takes the bytes of a body and gives what they mean.

    An encoding that is `unknown` here is left as it is. A body that does not decode, or grows
    beyond `most` bytes per piece that came, is left as it came from there on.
    """

    def __init__(self, encoding: str, most: int) -> None:
        encoding = encoding.strip().lower()
        self.unknown = "" if encoding in _KNOWN else encoding
        self._most = most
        self._inflate = (
            zlib.decompressobj(47) if encoding in ("gzip", "x-gzip", "deflate") else None
        )

    def feed(self, data: bytes) -> bytes:
        """Return what `data` adds."""
        if self._inflate is None:
            return data
        parts: list[bytes] = []
        size = 0
        for start in range(0, len(data), _STEP):
            try:
                part = self._inflate.decompress(data[start : start + _STEP])
            except zlib.error:
                self._inflate = None
                return b"".join(parts) + data[start:]
            parts.append(part)
            size += len(part)
            if size > self._most:  # a bomb
                self._inflate = None
                break
        return b"".join(parts)
