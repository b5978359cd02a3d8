"""
The HTTP/1.1 messages that nearly all exchanges of ACP consist of, read without h11.

A POST that has come whole, and a response that has come whole, each with a `Content-Length` and
nothing special. h11 takes a quarter of a millisecond for the two, twice over. Whatever is not as
plain as here is left to h11: these patterns accept less than it does, and nothing else.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

_FIELDS = rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0\x0b\x0c]*\r\n)*)\r\n"
_REQUEST = re.compile(rb"(POST|DELETE) (/[!-~]*) HTTP/1\.1\r\n" + _FIELDS)
_RESPONSE = re.compile(rb"HTTP/1\.1 ([2-5][0-9][0-9]) [^\r\n\0\x0b\x0c]*\r\n" + _FIELDS)
_SPECIAL = frozenset(
    {
        *("transfer-encoding", "expect", "upgrade", "trailer", "te", "keep-alive"),
        *("proxy-authorization", "proxy-connection", "origin"),
    }
)


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
    start = data.find(b"\r\n\r\n") + 4
    head = _request_head(data[:start])
    if head is None or head.size != len(data) - start:
        return None
    return SimpleRequest(data, head.first, head.second, head.headers, start)


def read_response(data: bytes) -> SimpleResponse | None:
    """Return the response that `data` is; `None` if it is not exactly one, or not simple."""
    start = data.find(b"\r\n\r\n") + 4
    head = _response_head(data[:start])
    if head is None or head.size != len(data) - start:
        return None
    return SimpleResponse(data, int(head.first), head.headers, start)


class _Head(NamedTuple):
    """A head: two words of its first line, its headers, and the size of the body."""

    first: str
    second: str
    headers: list[tuple[str, str]]
    size: int


# Most heads of a connection are the same as before, and so is what they mean.
@lru_cache(maxsize=64)
def _request_head(head: bytes) -> _Head | None:
    match = _REQUEST.fullmatch(head)
    if match is None:
        return None
    headers = _headers(match[3])
    size = _size(headers)
    if size is None and match[1] == b"DELETE" and not _is_special(headers):
        size = 0
    if size is None or sum(name == "host" for name, _ in headers) != 1:
        return None
    return _Head(match[1].decode(), match[2].decode(), headers, size)


@lru_cache(maxsize=64)
def _response_head(head: bytes) -> _Head | None:
    match = _RESPONSE.fullmatch(head)
    if match is None or match[1] in (b"204", b"205", b"304"):
        return None
    headers = _headers(match[2])
    size = _size(headers)
    return None if size is None else _Head(match[1].decode(), "", headers, size)


def _headers(lines: bytes) -> list[tuple[str, str]]:
    found = []
    for line in lines.decode("latin-1").split("\r\n")[:-1]:
        name, _, value = line.partition(":")
        found.append((name.lower(), value.strip(" \t")))
    return found


def _is_special(headers: list[tuple[str, str]]) -> bool:
    return any(
        name in _SPECIAL
        or name == "content-length"
        or (name == "connection" and value.lower() != "keep-alive")
        for name, value in headers
    )


def _size(headers: list[tuple[str, str]]) -> int | None:
    """Return the size of the body, if these headers say it, and nothing special."""
    lengths = [value for name, value in headers if name == "content-length"]
    others = [header for header in headers if header[0] != "content-length"]
    if len(lengths) != 1 or _is_special(others):
        return None
    is_number = lengths[0].isascii() and lengths[0].isdecimal() and len(lengths[0]) < 10
    return int(lengths[0]) if is_number and lengths[0] == str(int(lengths[0])) else None
