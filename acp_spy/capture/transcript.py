r"""
A conversation as people write it down, and the records for it.

    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize"}     the client sends a line
    <- {"jsonrpc": "2.0", "id": 0, "result": {}}               the agent sends a line
    <~ \x1b[1mBanner\x1b[0m\r\n                                 bytes, as Python spells them
    !! a line on stderr
    @ 2.5                                                      from here on it is 2.5 s
    -> EOF                                                     the client ends its stream
    == 0                                                       the agent exits, with this status
    == 127 no such command                                     it could not be started, and why

A remote conversation has where a frame came in brackets, its exchanges, and the ends of streams:

    ->[post c1 s1] {"jsonrpc": "2.0", ...}                     a POST, the ids of its headers
    <> 202                                                     the status of that POST
    <> 400 {"body": "Missing Acp-Session-Id"}                  with other fields of the record
    <> GET c1 s1 200                                           another request; `WS` is a WebSocket
    <-[session c1 s1] {"jsonrpc": "2.0", ...}                  an event of that stream; also `ws c1`
    <> END 2 agent {"lost": true}                              who ended what exchange 2 opened

HTTP/2 is spoken unless a field says otherwise. A header that is missing is `-`.

What acp-spy did to a frame has the peer that it concerns, by its arrow; it is the last frame unless
it has a number:

    *> held by intercept                                       the agent does not get it yet
    *> 3 delayed by intercept: {"jsonrpc": "2.0", ...}         it gets frame 3 now
    <* answered by script a.py: {"jsonrpc": "2.0", ...}        the client gets this
    *> failed by script a.py: KeyError: 'x', line 2            the agent gets it as it was sent

Each line takes a millisecond. What is empty or begins with `#` is passed over.
"""

import codecs
import re
from typing import Any

import msgspec

from acp_spy.capture.records import (
    FAILED,
    Closed,
    Delivery,
    Disconnect,
    Exit,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.wire.frame import Frame, Peer, Via

_SENDERS = {"->": Peer.CLIENT, "<-": Peer.AGENT, "~>": Peer.CLIENT, "<~": Peer.AGENT}
_RECEIVERS = {"*>": Peer.AGENT, "<*": Peer.CLIENT}
_DELIVERY = re.compile(r"(?:(\d+) )?([a-z]+) by ([^:]+(?::[^ :]+)*)(?:: (.*))?")
_REMOTE = re.compile(r"(->|<-|~>|<~)\[([^]]*)\] (.*)")


def parse(transcript: str) -> list[Record]:
    """Return the records of `transcript`; a mistake in it is a `ValueError`."""
    records: list[Record] = []
    seq, t = 0, 0.0
    for number, line in enumerate(transcript.splitlines(), start=1):
        via, mark, rest = _marked(line.strip())
        if not mark or mark.startswith("#"):
            continue
        t = round(t + 0.001, 6)
        if mark == "@":
            t = float(rest)
        elif mark == "!!":
            records.append(Stderr(t, rest.encode() + b"\n"))
        elif mark == "==":
            status, _, reason = rest.partition(" ")
            records.append(Exit(t, int(status), reason=reason))
        elif mark == "<>":
            records.append(_exchange(rest, t, records))
        elif mark in _RECEIVERS:
            records.append(_delivery(rest, t, _RECEIVERS[mark], seq))
        elif mark not in _SENDERS:
            raise ValueError(f"line {number} of the transcript begins with `{mark}`")
        elif rest == "EOF":
            records.append(Closed(t, _SENDERS[mark]))
        else:
            seq += 1
            raw = codecs.escape_decode(rest)[0] if "~" in mark else rest.encode() + b"\n"
            records.append(Frame(seq, t, _SENDERS[mark], raw, via=via))
    return records


def _marked(line: str) -> tuple[Via | None, str, str]:
    """Return what a line begins with, and the rest; of a remote frame also where it came."""
    if remote := _REMOTE.match(line):
        mark, place, rest = remote.groups()
        return _via(place, _SENDERS[mark]), mark, rest
    mark, _, rest = line.partition(" ")
    return None, mark, rest


def _delivery(words: str, t: float, to: Peer, last: int) -> Delivery:
    """Return what was done to a frame, the `last` one if the words name none."""
    done = _DELIVERY.fullmatch(words)
    if done is None:
        raise ValueError(f"not what became of a frame: `{words}`")
    seq, action, by, line = done.groups()
    if action == FAILED:
        return Delivery(int(seq or last), t, to, by, action, error=line or "")
    raw = None if line is None else line.encode() + b"\n"
    return Delivery(int(seq or last), t, to, by, action, raw)


def _via(place: str, sender: Peer) -> Via:
    stream, connection, session, *more = (*place.split(), "-", "-")
    transport = "ws" if stream == "ws" else "http"
    return Via(
        transport,
        "connection" if transport == "ws" else stream,
        _id(connection),
        _id(session),
        0 if sender is Peer.CLIENT or transport == "ws" else 200,
        binary="binary" in more or session == "binary",
    )


def _id(word: str) -> str:
    return "" if word in ("-", "binary") else word


def _exchange(words: str, t: float, before: list[Record]) -> HttpExchange | Disconnect:
    """Return the exchange, or the end of a stream, that `words` are about."""
    text, brace, more = words.partition("{")
    fields: dict[str, Any] = msgspec.json.decode(brace + more) if brace else {}
    parts = text.split()
    exchanges = [each for each in before if isinstance(each, HttpExchange)]
    if parts[0] == "END":
        opened = next(each for each in exchanges if each.id == int(parts[1]))
        place = opened.transport, opened.stream, parts[2], opened.connection, opened.session
        return Disconnect(t, opened.id, *place, **fields)
    method, connection, session, status = _request(parts, before)
    is_post, is_socket = method == "POST", method == "WS"
    opens = ("session" if session else "connection") if method in ("GET", "WS") else ""
    given: dict[str, Any] = {
        "stream": "post" if is_post else opens,
        "connection": connection,
        "session": session,
        "request": _posted(before) if is_post else 0,
        "status": status,
        "http": "1.1" if is_socket else "2",
        "request_headers": _HEADERS.get(method, {}),
        "response_headers": _answer_headers(method, status, before),
    }
    return HttpExchange(
        t,
        len(exchanges) + 1,
        "ws" if is_socket else "http",
        "GET" if is_socket else method,
        "/acp",
        **(given | fields),
    )


_HEADERS = {
    "POST": {"content-type": "application/json"},
    "GET": {"accept": "text/event-stream"},
}


def _request(parts: list[str], before: list[Record]) -> tuple[str, str, str, int]:
    """Return method, ids and status: without a method it is the POST of the last frame."""
    if len(parts) > 1:
        method, *ids, status = parts
        connection, session = map(_id, (*ids, "-", "-")[:2])
        return method, connection, session, int(status)
    via = next(
        each.via for each in reversed(before) if isinstance(each, Frame) and each.via is not None
    )
    return "POST", via.connection, via.session, int(parts[0])


def _posted(before: list[Record]) -> int:
    """Return the number of the frame in the body of the last POST."""
    posts = (each for each in reversed(before) if isinstance(each, Frame))
    return next((each.seq for each in posts if each.sender is Peer.CLIENT), 0)


def _answer_headers(method: str, status: int, before: list[Record]) -> dict[str, str]:
    """Return the headers of a response as they should be."""
    if method == "GET" and status == 200:
        return {"content-type": "text/event-stream"}
    opens = method == "POST" and not any(isinstance(each, HttpExchange) for each in before)
    if method == "WS" and status == 101:
        return {"acp-connection-id": "c1"}
    if opens and status == 200:
        return {"acp-connection-id": "c1", "content-type": "application/json"}
    return {}
