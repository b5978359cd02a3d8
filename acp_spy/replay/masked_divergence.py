"""A divergence in words, without secrets: for the log of a test, which others read."""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.replay.divergence import Divergence, Note, explanation, explanation_of_note
from acp_spy.replay.json_difference import ABSENT, Difference
from acp_spy.replay.line import ANSWERS, Line
from acp_spy.replay.script import Part
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.pointer import lookup
from acp_spy.wire.values import decoded, fields


class MaskedDivergences:
    """
    Explains divergences from `parts`, the recording.

    A secret may be one by its place only, which the words do not have. So it is replaced in the
    messages, before they become words.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._redactor = Redactor()
        for part in parts:
            self._redactor.learn(_frame(part.line))

    def explanation(self, divergence: Divergence, number: int) -> list[str]:
        """Return the full explanation, as lines."""
        got = divergence.got
        if got:
            self._redactor.learn(_frame(got))
        compared = [divergence.nearest] if divergence.nearest else []
        recorded = [part.line for part in (*compared, *divergence.expected)]
        differences = (
            self._difference(each, recorded[0] if recorded else None, got)
            for each in divergence.differences
        )
        masked = msgspec.structs.replace(
            divergence,
            expected=tuple(map(self._part, divergence.expected)),
            got=got and self._line(got),
            nearest=divergence.nearest and self._part(divergence.nearest),
            differences=tuple(differences),
        )
        return self._texts(explanation(masked, number))

    def explanation_of_note(self, note: Note) -> list[str]:
        """Return a note, as lines."""
        return self._texts(explanation_of_note(note))

    def _texts(self, lines: Iterable[str]) -> list[str]:
        return [self._redactor.text(line) for line in lines]

    def _part(self, part: Part) -> Part:
        return msgspec.structs.replace(part, line=self._line(part.line))

    def _line(self, line: Line) -> Line:
        raw = self._masked(line)
        body = line.body
        if line.kind in ANSWERS:
            message = fields(decoded(raw[line.begins :]))
            body = message.get("result", message.get("error", ABSENT))
        return msgspec.structs.replace(line, raw=raw, body=body)

    def _difference(
        self, difference: Difference, recorded: Line | None, live: Line | None
    ) -> Difference:
        path = difference.path
        return msgspec.structs.replace(
            difference,
            recorded=self._value(difference.recorded, recorded, path),
            live=self._value(difference.live, live, path),
        )

    def _value(self, value: Any, line: Line | None, path: str) -> Any:
        """Return what is at `path` of a message; `value` is that, with the names of today."""
        if line is None or value is ABSENT:
            return value
        try:
            was = lookup(decoded(line.raw[line.begins :]), path)
            shown = lookup(decoded(self._masked(line)[line.begins :]), path)
        except LookupError:  # a place that only the comparison has
            return value
        return value if shown == was else shown

    def _masked(self, line: Line) -> bytes:
        masked = self._redactor.record(_frame(line))
        assert isinstance(masked, Frame)
        return masked.raw


def _frame(line: Line) -> Frame:
    return Frame(line.seq, 0.0, Peer.CLIENT, line.raw)
