"""Compare a live line with the recorded one: which differences count, which are only noted."""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.replay.answer_shape import shape_differs
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.divergence import Note
from acp_spy.replay.json_difference import Difference
from acp_spy.replay.line import ANSWERS, NOTIFICATION, REQUEST, UNREADABLE, Line, as_text
from acp_spy.replay.matchers import (
    answer_differs,
    find_matchers,
    match_exact,
    match_params,
    skipping,
    translated,
)
from acp_spy.replay.options import Options
from acp_spy.replay.redactions import ANYWHERE, Redactions, split, still_redacted
from acp_spy.replay.script import Expect, Script, Send
from acp_spy.wire.frame import Peer


class LineComparison(msgspec.Struct, frozen=True):
    """Differences that count, differences that do not, and redacted places."""

    counts: tuple[Difference, ...] = ()
    minor: tuple[Difference, ...] = ()
    redacted: tuple[str, ...] = ()


class LineComparer:
    """Compares the live side of a script by the options."""

    def __init__(self, script: Script, options: Options) -> None:
        self._role = role = script.role
        self._answered = {part.answers for part in script.parts if isinstance(part, Send)}
        self._expect = options.expect
        self._matchers = find_matchers(options.match)
        if role is Peer.CLIENT and options.expect == "none":
            self._matchers = ()
        self._is_exact = (
            match_exact in self._matchers if role is Peer.AGENT else options.expect == "exact"
        )
        self._skip = skipping(options.ignore)
        self._redactions = Redactions()

    def compare(self, expect: Expect, recorded: Line, live: Line) -> LineComparison:
        """Return where `live` differs from `recorded`, the line of `expect` in live names."""
        if recorded.raw[recorded.begins :] == live.raw[live.begins :]:
            return LineComparison()
        hides_all = recorded.kind == UNREADABLE or ANYWHERE in expect.redacted
        if expect.redacted and hides_all and recorded.kind == live.kind:
            return LineComparison(redacted=(ANYWHERE,))
        if recorded.kind == UNREADABLE:
            noise = (Difference("", as_text(recorded.raw), as_text(live.raw)),)
            return LineComparison(counts=noise) if self._is_exact else LineComparison(minor=noise)
        counts, hidden = split(_once(self._counting(recorded, live)), expect.redacted)
        if counts or self._is_of_agent(recorded):
            return LineComparison(counts, redacted=hidden)
        found = _once(match_params(recorded, live, self._skip))
        minor, more_hidden = split(found, expect.redacted)
        return LineComparison((), minor, (*hidden, *more_hidden))

    def notes(self, expect: Expect, live: Line, compared: LineComparison) -> Iterator[Note]:
        """Give the notes on a line that was accepted for the recorded one."""
        if compared.minor:
            yield Note(expect.line, "came with a difference", compared.minor, got=live)
        if compared.redacted:
            yield from self._redactions.not_compared(expect.line, compared.redacted)
        if expect.line.kind == REQUEST and expect.place not in self._answered:
            yield Note(expect.line, "has no response in the capture, so none is sent")

    def notes_on_sending(self, send: Send, bindings: Bindings) -> Iterator[Note]:
        """Give the notes on a line that the live peer is sent."""
        if send.redacted and send.line.kind != NOTIFICATION:
            places = still_redacted(send.redacted, send.line, translated(send.line, bindings))
            yield from self._redactions.sent(send.line, places)

    def everything(self, expect: Expect, live: Line, bindings: Bindings) -> tuple[Difference, ...]:
        """Return how far `live` is from a recorded line that it is not."""
        if expect.line.kind == UNREADABLE:
            return ()
        recorded = translated(expect.line, bindings)
        found = _once(match_params(recorded, live, self._skip))
        return split(found, expect.redacted)[0]

    def _counting(self, recorded: Line, live: Line) -> Iterator[Difference]:
        """Give the differences that count."""
        if not self._is_of_agent(recorded):
            yield from answer_differs(recorded, live)
            for matcher in self._matchers:
                yield from matcher(recorded, live, self._skip)
        elif self._expect == "shape" and recorded.kind in ANSWERS:
            yield from shape_differs(recorded, live, self._skip)
        if self._role is Peer.CLIENT and self._is_exact:
            yield from match_exact(recorded, live, self._skip)

    def _is_of_agent(self, line: Line) -> bool:
        """Whether it is an answer or a notification of a live agent, which `--expect` is about."""
        return self._role is Peer.CLIENT and line.kind in (*ANSWERS, NOTIFICATION)


def _once(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """Return each place once: two matchers may have seen the same."""
    return tuple({difference.path: difference for difference in found}.values())
