"""A divergence in words, without secrets: for the log of a test, which others read."""

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.replay.divergence import Divergence, Note, explanation, explanation_of_note
from acp_spy.replay.json_difference import ABSENT, Difference
from acp_spy.replay.line import ANSWERS, Line
from acp_spy.replay.script import Part, Script, Send
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame
from acp_spy.wire.pointer import lookup
from acp_spy.wire.values import decoded, fields


class MaskedDivergences:
    """
    Explains divergences from `script`, what is played of the recording.

    A secret may be one by its place only, which the words do not have. So it is replaced in the
    messages, before they become words.
    """

    def __init__(self, script: Script) -> None:
        self._redactor = Redactor()
        self._live = script.role.other
        self._played = {id(part.line) for part in script.parts if isinstance(part, Send)}
        self._redactor.learn_all(self._frame(part.line) for part in script.parts)

    def explanation(self, divergence: Divergence, number: int) -> list[str]:
        """Return the full explanation, as lines."""
        got, nearest = divergence.got, divergence.nearest
        self._learn(got)
        compared = nearest or next(iter(divergence.expected), None)
        line = compared.line if compared else None
        found = self._differences(divergence.differences, line, got)
        masked = msgspec.structs.replace(
            divergence,
            expected=tuple(map(self._part, divergence.expected)),
            got=got and self._line(got),
            nearest=nearest and self._part(nearest),
            differences=found,
        )
        return self._texts(explanation(masked, number))

    def explanation_of_note(self, note: Note) -> list[str]:
        """Return a note, as lines."""
        self._learn(note.got)
        found = self._differences(note.differences, note.recorded, note.got)
        return self._texts(explanation_of_note(msgspec.structs.replace(note, differences=found)))

    def _learn(self, line: Line | None) -> None:
        if line:
            self._redactor.learn(self._frame(line))

    def _texts(self, lines: Iterable[str]) -> list[str]:
        return [self._redactor.text(line) for line in lines]

    def _part(self, part: Part) -> Part:
        return msgspec.structs.replace(part, line=self._line(part.line))

    def _line(self, line: Line) -> Line:
        raw, body = self._masked(line), line.body
        if line.kind in ANSWERS:
            message = fields(decoded(raw))
            body = message.get("result", message.get("error", ABSENT))
        return msgspec.structs.replace(line, raw=raw, body=body, begins=0)

    def _differences(
        self, found: Iterable[Difference], recorded: Line | None, live: Line | None
    ) -> tuple[Difference, ...]:
        old, new = self._before_and_after(recorded), self._before_and_after(live)
        return tuple(
            msgspec.structs.replace(
                each,
                recorded=self._value(each.recorded, each.path, *old),
                live=self._value(each.live, each.path, *new),
            )
            for each in found
        )

    def _before_and_after(self, line: Line | None) -> tuple[Any, Any]:
        """Return the message of a line as it is, and as it is masked."""
        return (decoded(_message(line)), decoded(self._masked(line))) if line else (None, None)

    def _value(self, value: Any, path: str, message: Any, masked: Any) -> Any:
        """Return what is at `path` of a masked message; `value` is that, with names of today."""
        if value is ABSENT:
            return value
        try:
            was, shown = lookup(message, path), lookup(masked, self._redactor.pointer(path))
        except LookupError:  # a place that only the comparison has
            return value
        return value if shown == was else shown

    def _frame(self, line: Line) -> Frame:
        """Return a line as who sent it: a response is known by the other's request."""
        sender = self._live.other if id(line) in self._played else self._live
        return Frame(line.seq, 0.0, sender, _message(line))

    def _masked(self, line: Line) -> bytes:
        masked = self._redactor.record(self._frame(line))
        assert isinstance(masked, Frame)
        return masked.raw


def _message(line: Line) -> bytes:
    return line.raw[line.begins :]  # noise before it is not shown
