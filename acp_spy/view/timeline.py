"""A capture as rows: the one model that every renderer reads."""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.capture.records import Closed, Exit, Header, Record, Stderr
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response, Unreadable, read_message


class Row(msgspec.Struct, frozen=True):
    """
    One thing that happened.

    `what` is a method, the answer to one, or a word for what is no message; `gist` is its
    content, as it was sent: a renderer must not let it act.
    """

    t: float
    what: str
    gist: str = ""
    seq: int | None = None
    sender: Peer | None = None
    is_message: bool = True


def rows(records: Iterable[Record]) -> Iterator[Row]:
    """Give a row for each record that something happened in."""
    asked: dict[tuple[Peer, bytes], str] = {}
    for record in records:
        match record:
            case Frame():
                yield _row_of_frame(record, asked)
            case Stderr(t=t, raw=raw):
                yield Row(t, "stderr", _text(raw), is_message=False)
            case Closed(t=t, sender=sender):
                yield Row(t, "closed its stream", sender=sender, is_message=False)
            case Exit(t=t, status=status):
                end = f"status {status}" if status >= 0 else f"killed by signal {-status}"
                yield Row(t, "agent exited", end, is_message=False)
            case Header():
                pass


def _row_of_frame(frame: Frame, asked: dict[tuple[Peer, bytes], str]) -> Row:
    message = read_message(frame.payload)
    match message:
        case Request(id=ident, method=method, params=params):
            asked[frame.sender, ident] = method
            what, gist = method, _text(params)
        case Notification(method=method, params=params):
            what, gist = method, _text(params)
        case Response(id=ident, result=result, error=error):
            method = asked.pop((frame.sender.other, ident), f"id {_text(ident) or '(none)'}")
            # Some peers send `"error": null` beside every result, as JSON-RPC 1.0 had it.
            failed = error and not (result and error == b"null")
            what = f"{'error' if failed else 'answer'} to {method}"
            gist = _text(error if failed else result)
        case Unreadable(reason=reason):
            what, gist = reason, _text(frame.payload)
    return Row(frame.t, what, gist, frame.seq, frame.sender, not isinstance(message, Unreadable))


def _text(raw: bytes) -> str:
    return raw.decode(errors="backslashreplace").rstrip("\r\n")
