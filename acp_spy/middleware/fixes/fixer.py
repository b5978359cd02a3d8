"""
The repairs of one peer's frames.

A frame is judged in the conversation as the other peer sees it, so after a repair the next frames
are judged by the repaired one. One repair is made at a time, and the result is looked at again: a
second one may be needed for what the first has uncovered.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from acp_spy.conversation.state import Step
from acp_spy.conversation.successor import outer_path
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.facts import Facts
from acp_spy.lint.fixes.fix import Split
from acp_spy.lint.fixes.known import FIXES
from acp_spy.lint.ruleset import Ruleset
from acp_spy.wire.edit import Edit, applied
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Response, Unreadable

_MOST_REPAIRS = 50  # of one message
_NOISE, _PRINTED, _BLANK = "FRM004", "FRM007", "FRM016"
ALL_FIXES = Ruleset()


class Line(msgspec.Struct, frozen=True):
    """A line to deliver, and the codes of the rules whose fixes made it; none if it is as sent."""

    raw: bytes
    codes: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """
    What becomes of a frame: the lines in its place, and what belongs on stderr.

    `codes` are those of the rules because of which there is no line.
    """

    frame: Frame
    lines: tuple[Line, ...]
    codes: tuple[str, ...] = ()
    log: bytes = b""


class Fixer:
    """
    Show it the frames of both peers in their order: it repairs those of `side`.

    A repair is made if its rule is in the ruleset.
    """

    def __init__(self, side: Peer, ruleset: Ruleset = ALL_FIXES) -> None:
        rules = ruleset.rules
        codes = FIXES.keys() if rules is None else {rule.code for rule in rules}
        self._side = side
        self._fixes = [fix for code, fix in FIXES.items() if code in codes]
        self._joins = _PRINTED in codes
        self._tracker = Tracker(ruleset.dialect)
        # That a dialect explains a mistake helps a reader; its peer needs the repair all the same.
        self._facts = Facts(ruleset.spec, explain_dialects=False)
        self._inner = Facts(ruleset.spec, explain_dialects=False)  # of what is for a successor
        self._held: list[Frame] = []  # lines that may be one message together
        self._has_headers = False  # LSP's framing: its lines are not messages
        self._noise = 0  # the last frame that was noise
        self._log: list[bytes] = []

    def follow(self, frame: Frame) -> None:
        """Take notice of a frame of the other peer."""
        step = self._tracker.look(frame)
        if isinstance(step, Step):
            self._look_at(step)
        self._tracker.advance(step)

    def take(self, frame: Frame) -> Sequence[Outcome]:
        """
        Return what becomes of a frame, and of those that were held before it.

        There is nothing for one that is held: it may be the first line of a message.
        """
        step = self._tracker.look(frame)
        if not isinstance(step, Step):
            self._tracker.advance(step)
            return (*self.give_up(), Outcome(frame, (Line(frame.raw),)))
        self._look_at(step)
        lines = self._facts.lines
        self._has_headers = self._has_headers or any(line.kind == "header" for line in lines)
        if any(line.kind == "printed" for line in lines) and self._joins:
            return self._join(frame, step)
        before: Sequence[Outcome] = ()
        if self._held and lines and lines[0].seq == self._held[0].seq:
            before = self._given_up(lines[0].kind)
        if not isinstance(step.message, Unreadable):
            before = (*before, *self.give_up())
        elif self._joins and self._facts.reader.is_holding(self._side):
            self._held.append(frame)
            return before
        return (*before, self._outcome(frame, step))

    def give_up(self) -> Sequence[Outcome]:
        """Return what becomes of held lines that are not a message."""
        line = self._facts.reader.give_up(self._side)
        return self._given_up(line.kind) if line else ()

    def _given_up(self, kind: str) -> Sequence[Outcome]:
        held, self._held = self._held, []
        if kind == "noise" and any(fix.code == _NOISE for fix in self._fixes):
            return [Outcome(frame, (), (_NOISE,), frame.raw) for frame in held]
        return [Outcome(frame, (Line(frame.raw),)) for frame in held]

    def _join(self, frame: Frame, step: Step) -> Sequence[Outcome]:
        """Return the message that the held lines are together with this one, on one line."""
        held, self._held = self._held, []
        repaired = FIXES[_PRINTED].repair(step, self._facts)
        if not isinstance(repaired, Split):
            return [Outcome(each, (Line(each.raw),)) for each in (*held, frame)]
        dropped = [Outcome(each, (), (_PRINTED,)) for each in held]
        joined = replace(frame, raw=repaired.lines[0])
        step = self._tracker.look_closely(joined)
        self._look_at(step)
        return *dropped, self._outcome(frame, step, (_PRINTED,))

    def _outcome(self, frame: Frame, step: Step, codes: tuple[str, ...] = ()) -> Outcome:
        self._log = []
        codes_of_drop: list[str] = []
        lines = tuple(self._mend(step, codes, codes_of_drop))
        if codes_of_drop == [_BLANK] and self._noise == frame.seq - 1:
            codes_of_drop = [_NOISE]  # it belongs to the banner before it
        if _NOISE in codes_of_drop:
            self._noise = frame.seq
        return Outcome(frame, lines, tuple(codes_of_drop or codes), b"".join(self._log))

    def _mend(self, step: Step, codes: tuple[str, ...], dropped_by: list[str]) -> Iterator[Line]:
        """Give the lines that take the place of a step, each with what was repaired there."""
        refused: set[str] = set()
        sent, first = step, codes
        for _ in range(_MOST_REPAIRS):
            found = self._repair(step, refused) if self._is_suspect(step) else None
            if found is None:
                break
            code, repaired = found
            if isinstance(repaired, Split):
                if repaired.log:
                    self._log.append(repaired.log)
                if not repaired.lines:
                    dropped_by += [*codes, code]
                for raw in repaired.lines:
                    part = self._tracker.look_closely(replace(step.frame, raw=raw))
                    self._look_at(part)
                    yield from self._mend(part, (*codes, code), dropped_by)
                return
            better = self._edited(step, repaired, code)
            if better is None:
                refused.add(code)
            else:
                step, codes = better, codes if code in codes else (*codes, code)
        else:  # repairs that undo each other
            step, codes = sent, first
        self._tracker.advance(step)
        yield Line(step.frame.raw, codes)

    def _look_at(self, step: Step) -> None:
        self._facts.look_at(step)
        if step.inner:
            self._inner.look_at(step.inner)

    def _is_suspect(self, step: Step) -> bool:
        facts = self._facts
        if facts.is_unusual or facts.mismatches or (step.inner and self._inner.mismatches):
            return True
        return isinstance(step.message, Response) and step.exchange is None

    def _repair(self, step: Step, refused: set[str]) -> tuple[str, Sequence[Edit] | Split] | None:
        """Return the next repair, and the code of its rule."""
        for fix in self._fixes:
            is_about_lines = fix.code.startswith("FRM")
            if fix.code in refused or (self._has_headers and is_about_lines):
                continue
            repaired = fix.repair(step, self._facts)
            if not repaired and step.inner and fix.code.startswith("SCH"):
                inside = fix.repair(step.inner, self._inner)
                edits = inside if inside and not isinstance(inside, Split) else ()
                repaired = [replace(edit, path=outer_path(edit.path)) for edit in edits]
            if repaired:
                return fix.code, repaired
        return None

    def _edited(self, step: Step, edits: Sequence[Edit], code: str) -> Step | None:
        """Return the step with these edits; nothing if that would not be better."""
        before, frame = self._mismatches(step), step.frame
        payload = frame.payload
        edited = applied(edits, payload)
        end = frame.raw[len(payload) :]
        better = self._tracker.look_closely(replace(frame, raw=edited + end))
        self._look_at(better)
        after = self._mismatches(better)
        is_better = len(after) <= len(before) and after != before
        if edited != payload and (is_better or code.startswith("RPC")):
            return better
        self._look_at(step)
        return None

    def _mismatches(self, step: Step) -> list[tuple[object, ...]]:
        inside = self._inner.mismatches if step.inner else []
        return [
            (each.kind, each.path, each.key, each.shape)
            for each in (*self._facts.mismatches, *inside)
        ]
