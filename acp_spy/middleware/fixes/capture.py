"""A capture with the repairs that `--fix` would have made."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from acp_spy.capture.records import DROPPED, REPLACED, Delivery, Header, Record, Stderr
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.dry_run import dry_run
from acp_spy.middleware.fixes.fixer import ALL_FIXES
from acp_spy.middleware.fixes.stage import FixStage
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.pointer import spans

_NOTE = "fixed by acp-spy"


class Change(NamedTuple):
    """A frame, the lines that take its place, what goes to stderr, and the codes of its fixes."""

    frame: Frame
    lines: tuple[bytes, ...]
    log: bytes
    codes: tuple[str, ...]


class FixedCapture:
    """
    The records of a capture with all repairs.

    What became of the frames when they were recorded is left out: repairs are made to what was
    sent.
    """

    def __init__(self, records: Iterable[Record], ruleset: Ruleset = ALL_FIXES) -> None:
        self._log: dict[int, bytes] = {}
        stages = [FixStage(side, ruleset, self._take_log) for side in (Peer.CLIENT, Peer.AGENT)]
        self._records = dry_run(records, stages, lambda _text: None)
        self._made: dict[int, list[Delivery]] = {}  # by the number of the frame
        for record in self._records:
            if isinstance(record, Delivery) and record.action in (DROPPED, REPLACED):
                self._made.setdefault(record.seq, []).append(record)

    def _take_log(self, frame: Frame, log: bytes) -> None:
        self._log[frame.seq] = log

    @property
    def changes(self) -> list[Change]:
        """The frames that were repaired, in their order."""
        return [
            Change(
                frame,
                tuple(each.raw for each in made if each.raw is not None),
                self._log.get(frame.seq, b""),
                tuple(dict.fromkeys(code for each in made for code in _codes(each))),
            )
            for frame in self._records
            if isinstance(frame, Frame) and (made := self._made.get(frame.seq))
        ]

    def records(self) -> Iterator[Record]:
        """Give the records with the repairs, as if the peers had sent them so."""
        seq = 0
        for record in self._records:
            if isinstance(record, Frame):
                for frame in self._frames(record):
                    seq += 1
                    yield replace(frame, seq=seq)
                log = self._log.get(record.seq)
                if log and record.sender is Peer.AGENT:
                    yield Stderr(record.t, log)
            elif isinstance(record, Header):
                yield replace(record, note=f"{record.note}; {_NOTE}" if record.note else _NOTE)
            elif not isinstance(record, Delivery):
                yield record

    def _frames(self, frame: Frame) -> list[Frame]:
        made = self._made.get(frame.seq)
        if made is None:
            return [frame]
        return [
            replace(frame, raw=each.raw, redacted=_still_there(frame.redacted, each.raw))
            for each in made
            if each.raw is not None
        ]


def _codes(delivery: Delivery) -> list[str]:
    return delivery.by.removeprefix("fix ").split(", ")


def _still_there(places: tuple[str, ...], raw: bytes) -> tuple[str, ...]:
    found = spans(raw, places)
    return tuple(place for place in places if place in found)
