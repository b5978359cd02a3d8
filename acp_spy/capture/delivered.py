"""
A capture as its peers received it.

A frame is what its sender wrote. If something else reached the other peer, deliveries follow the
frame: here they take its place. A capture that has none is given as it is.
"""

from collections.abc import Iterable, Iterator

from acp_spy.capture.records import INJECTED, Delivery, Record
from acp_spy.wire.frame import Frame


def delivered(records: Iterable[Record]) -> Iterator[Record]:
    """
    Give the records with what was delivered in place of what was sent.

    A delivered line has the number of the frame that it comes from, and the time of its delivery.
    """
    waiting: list[Frame] = []  # a frame whose deliveries may follow, and what was injected with it
    for record in records:
        if isinstance(record, Delivery) and waiting and record.seq == waiting[0].seq:
            if record.action == INJECTED:
                waiting += _frame_of(record)
                continue
            del waiting[0]  # something else became of it
        yield from waiting
        waiting = []
        if isinstance(record, Frame):
            waiting = [record]
        elif isinstance(record, Delivery):
            yield from _frame_of(record)
        else:
            yield record
    yield from waiting


def _frame_of(delivery: Delivery) -> list[Frame]:
    if delivery.raw is None:
        return []
    sender = delivery.to.other
    return [Frame(delivery.seq, delivery.t, sender, delivery.raw, delivery.redacted)]
