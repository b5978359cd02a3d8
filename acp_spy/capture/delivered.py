"""
A capture as its peers received it.

A frame is what its sender wrote. If something else reached the other peer, deliveries follow the
frame: here they take its place. A capture that has none is given as it is.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from acp_spy.capture.records import ANSWERED, BESIDE, DROPPED, HELD, INJECTED, Delivery, Record
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Request, Response, read_message

_MOST_ASKED = 1024  # that no response has come to

# Which side of the frames: what was sent, what was delivered, or what one peer sent and got.
Side = Literal["sent", "delivered", "client", "agent"]


def on_side(side: Side, records: Iterable[Record]) -> Iterable[Record]:
    """Give the records as they are on one side."""
    if side == "sent":
        return records
    return delivered(records) if side == "delivered" else seen_by(Peer(side), records)


def delivered(records: Iterable[Record]) -> Iterator[Record]:
    """
    Give the records with what was delivered in place of what was sent.

    A delivered line has the number of the frame that it comes from, and the time of its delivery.
    A request that somebody else answered stays, though the other peer did not get it: its sender
    got the response. So does a response that the other peer did not get, if somebody else had
    injected the request.
    """
    held: dict[int, Frame] = {}
    asked: set[tuple[Peer, bytes]] = set()  # by somebody else: whom, and by which id
    last: Frame | None = None
    for record, fate in with_fates(records):
        last = record if isinstance(record, Frame) else last
        if isinstance(record, Delivery):
            if record.action not in (HELD, *BESIDE):
                request = held.pop(record.seq, None)
                if request is not None and record.action == ANSWERED:
                    yield request
            is_copy = last is not None and (last.seq, last.raw) == (record.seq, record.raw)
            is_made = record.action == INJECTED and not is_copy  # its sender asked the same
            made = request_in(record.raw) if is_made else None
            if made and len(asked) < _MOST_ASKED:
                asked.add((record.to, made.id))
            yield from _line_of(record)
        elif not fate or fate == ANSWERED or (fate == DROPPED and _answers(record, asked)):
            yield record
        elif fate == HELD and isinstance(record, Frame):
            held[record.seq] = record


def request_in(raw: bytes | None) -> Request | None:
    """Return the request that a line is, if it is one."""
    message = read_message(raw.strip(b"\r\n")) if raw else None
    return message if isinstance(message, Request) else None


def _answers(record: Record, asked: set[tuple[Peer, bytes]]) -> bool:
    if not asked or not isinstance(record, Frame):
        return False
    message = read_message(record.payload)
    if not isinstance(message, Response) or (record.sender, message.id) not in asked:
        return False
    asked.remove((record.sender, message.id))
    return True


def seen_by(peer: Peer, records: Iterable[Record]) -> Iterator[Record]:
    """Give the records as one peer saw them: what it sent itself, and what was delivered to it."""
    for record, fate in with_fates(records):
        if isinstance(record, Delivery):
            if record.to is peer:
                yield from _line_of(record)
        elif not fate or (isinstance(record, Frame) and record.sender is peer):
            yield record


def with_fates(records: Iterable[Record]) -> Iterator[tuple[Record, str]]:
    """Give each record with what became of it: empty, or the action if it was not delivered so."""
    waiting: list[Record] = []  # a frame, and what happened beside it
    fate = ""
    for record in records:
        first = waiting[0] if waiting else None
        if isinstance(record, Delivery) and isinstance(first, Frame) and record.seq == first.seq:
            waiting.append(record)
            if record.action in BESIDE:
                continue
            fate = record.action
        elif isinstance(record, Frame):
            yield from _settled(waiting, fate)
            waiting, fate = [record], ""
            continue
        else:
            waiting.append(record)
        yield from _settled(waiting, fate)
        waiting, fate = [], ""
    yield from _settled(waiting, fate)


def _settled(waiting: list[Record], fate: str) -> Iterator[tuple[Record, str]]:
    for record in waiting:
        yield record, fate if isinstance(record, Frame) else ""


def _line_of(delivery: Delivery) -> Iterator[Frame]:
    if delivery.raw is not None:
        sender = delivery.to.other
        yield Frame(delivery.seq, delivery.t, sender, delivery.raw, delivery.redacted)
