"""A capture with the repairs that `--fix` would have made."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from acp_spy.capture.delivered import delivered
from acp_spy.capture.records import DROPPED, REPLACED, Delivery, Header, Record, Stderr
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.dry_run import dry_run
from acp_spy.middleware.fixes.fixer import ALL_FIXES
from acp_spy.middleware.fixes.stage import FixStage
from acp_spy.wire.frame import Frame, Peer

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

    def _take_log(self, frame: Frame, log: bytes) -> None:
        self._log[frame.seq] = log

    @property
    def changes(self) -> list[Change]:
        """The frames that were repaired, in their order."""
        made: dict[int, list[Delivery]] = {}
        for record in self._records:
            if isinstance(record, Delivery) and record.action in (DROPPED, REPLACED):
                made.setdefault(record.seq, []).append(record)
        return [
            Change(
                record,
                tuple(each.raw for each in made[record.seq] if each.raw is not None),
                self._log.get(record.seq, b""),
                tuple(dict.fromkeys(code for each in made[record.seq] for code in _codes(each))),
            )
            for record in self._records
            if isinstance(record, Frame) and record.seq in made
        ]

    def records(self) -> Iterator[Record]:
        """Give the records with the repairs, as if the peers had sent them so."""
        seq = 0
        for record in delivered(self._with_log()):
            if isinstance(record, Frame):
                seq += 1
                yield replace(record, seq=seq)
            elif isinstance(record, Header):
                yield replace(record, note=f"{record.note}; {_NOTE}" if record.note else _NOTE)
            else:
                yield record

    def _with_log(self) -> Iterator[Record]:
        """Give what is not a message as a line on stderr, where it belongs."""
        for record in self._records:
            if isinstance(record, Frame) and record.sender is Peer.AGENT:
                log = self._log.get(record.seq)
                if log:
                    yield Stderr(record.t, log)
            yield record


def _codes(delivery: Delivery) -> list[str]:
    return delivery.by.removeprefix("fix ").split(", ")
