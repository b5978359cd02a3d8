"""
The HTTP/1.1 messages that nearly all exchanges of ACP consist of, read without h11.

A POST that has come whole, and a response that has come whole, each with a `Content-Length` and
nothing special. h11 takes a quarter of a millisecond for the two, twice over. Whatever is not as
plain as here is left to h11: these patterns accept less than it does, and nothing else.
"""

import re

import msgspec

_FIELDS = rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*\r\n)*)\r\n"
_REQUEST = re.compile(rb"(POST|DELETE) ([!-~]+) HTTP/1\.1\r\n" + _FIELDS)
_RESPONSE = re.compile(rb"HTTP/1\.1 ([2-5][0-9][0-9]) [^\r\n\0]*\r\n" + _FIELDS)
_SPECIAL = frozenset({"transfer-encoding", "expect", "upgrade", "trailer", "te", "keep-alive"})


class SimpleRequest(msgspec.Struct):
    """A request; `data` is all of it, `body_start` where its body begins."""

    data: bytes
    method: str
    path: str
    headers: list[tuple[str, str]]
    body_start: int

    def to_host(self, authority: bytes) -> bytes:
        """Return the bytes of the request with another `Host`."""
        head = self.data[: self.body_start]
        start = head.lower().index(b"\r\nhost:") + 7
        end = head.index(b"\r\n", start)
        return b"%b %b%b" % (self.data[:start], authority, self.data[end:])


class SimpleResponse(msgspec.Struct):
    """A response, as a request."""

    data: bytes
    status: int
    headers: list[tuple[str, str]]
    body_start: int


def read_request(data: bytes) -> SimpleRequest | None:
    """Return the request that `data` is; `None` if it is not exactly one, or not simple."""
    match = _REQUEST.match(data)
    if match is None:
        return None
    headers = _headers(match[3])
    if not _is_whole(headers, len(data) - match.end(), is_length_needed=match[1] == b"POST"):
        return None
    if sum(name == "host" for name, _ in headers) != 1:
        return None
    return SimpleRequest(data, match[1].decode(), match[2].decode(), headers, match.end())


def read_response(data: bytes) -> SimpleResponse | None:
    """Return the response that `data` is; `None` if it is not exactly one, or not simple."""
    match = _RESPONSE.match(data)
    if match is None or match[1] in (b"204", b"205", b"304"):
        return None
    headers = _headers(match[2])
    if not _is_whole(headers, len(data) - match.end(), is_length_needed=True):
        return None
    return SimpleResponse(data, int(match[1]), headers, match.end())


def _headers(lines: bytes) -> list[tuple[str, str]]:
    return [*map(_header, lines.split(b"\r\n")[:-1])]


class _Lines(dict[bytes, tuple[str, str]]):
    """Headers by their lines, most of which are in every message of a connection."""

    def __missing__(self, line: bytes) -> tuple[str, str]:
        name, _, value = line.decode("latin-1").partition(":")
        header = name.lower(), value.strip(" \t")
        if len(self) > 256:
            self.clear()
        if len(line) < 256:
            self[line] = header
        return header


_header = _Lines().__getitem__


def _is_whole(headers: list[tuple[str, str]], size: int, *, is_length_needed: bool) -> bool:
    """Whether these headers say that the body has this size, and nothing special."""
    lengths = []
    for name, value in headers:
        if name == "content-length":
            lengths.append(value)
        elif name in _SPECIAL or (name == "connection" and value.lower() != "keep-alive"):
            return False
    if not lengths:
        return not is_length_needed and size == 0
    return len(lengths) == 1 and lengths[0] == str(size)
