"""Whether a live line will do for the recorded one: what counts as a divergence, what is told."""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.replay.bindings import Bindings
from acp_spy.replay.difference import Difference, differences
from acp_spy.replay.divergence import Note
from acp_spy.replay.line import ANSWERS, NOTIFICATION, REQUEST, UNREADABLE, Line, as_text
from acp_spy.replay.matching import (
    Skip,
    answer_differs,
    find_matchers,
    match_exact,
    match_params,
    member_of,
    skipping,
    translated,
)
from acp_spy.replay.options import Options
from acp_spy.replay.redactions import ANYWHERE, Redactions
from acp_spy.replay.script import Expect, Script, Send
from acp_spy.replay.shape import shape_differs
from acp_spy.wire.frame import Peer
from acp_spy.wire.pointer import spell


class Comparison(msgspec.Struct, frozen=True):
    """What differs and counts, what differs besides, and where nobody can tell."""

    counts: tuple[Difference, ...] = ()
    besides: tuple[Difference, ...] = ()
    redacted: tuple[str, ...] = ()


class Judge:
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

    def compare(self, expect: Expect, live: Line, bindings: Bindings) -> Comparison:
        """Return where `live` differs from the recorded line, whose names are bound by now."""
        recorded = translated(expect.line, bindings)
        if recorded.raw[recorded.begins :] == live.raw[live.begins :]:
            return Comparison()
        hides_all = recorded.kind == UNREADABLE or ANYWHERE in expect.redacted
        if expect.redacted and hides_all and recorded.kind == live.kind:
            return Comparison(redacted=(ANYWHERE,))
        if recorded.kind == UNREADABLE:
            noise = (Difference("", as_text(recorded.raw), as_text(live.raw)),)
            return Comparison(counts=noise) if self._is_exact else Comparison(besides=noise)
        skip = _and_redacted(self._skip, expect.redacted)
        redacted = tuple(_reached(expect.redacted, recorded, live))
        if self._role is Peer.CLIENT and recorded.kind in (*ANSWERS, NOTIFICATION):
            counts = [*self._of_agent(recorded, live, skip)]
            # What is free to differ need not be known.
            return Comparison(_once(counts), redacted=redacted if self._is_exact else ())
        counts = [*answer_differs(recorded, live)]
        for matcher in self._matchers:
            counts += matcher(recorded, live, skip)
        if self._role is Peer.CLIENT and self._is_exact:
            counts += match_exact(recorded, live, skip)
        besides = () if counts else match_params(recorded, live, skip)
        return Comparison(_once(counts), _once(besides), redacted)

    def notes(self, expect: Expect, compared: Comparison) -> Iterator[Note]:
        """Give what is worth telling about a line that was taken for the recorded one."""
        if compared.besides:
            yield Note(expect.line, "came with a difference", compared.besides)
        if compared.redacted:
            yield from self._redactions.not_compared(expect.line, compared.redacted)
        if expect.line.kind == REQUEST and expect.place not in self._answered:
            yield Note(expect.line, "has no answer in the capture: none will come")

    def notes_on_sending(self, send: Send) -> Iterator[Note]:
        """Give what is worth telling about a line that the live peer is sent."""
        if send.redacted and send.line.kind != NOTIFICATION:
            yield from self._redactions.sent(send.line, send.redacted)

    def everything(self, expect: Expect, live: Line, bindings: Bindings) -> tuple[Difference, ...]:
        """Return how far `live` is from a recorded line that it is not."""
        if expect.line.kind == UNREADABLE:
            return ()
        recorded = translated(expect.line, bindings)
        return _once(match_params(recorded, live, _and_redacted(self._skip, expect.redacted)))

    def _of_agent(self, recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
        """Give what counts in what a live agent answers or tells."""
        if self._is_exact:
            yield from match_exact(recorded, live, skip)
        elif self._expect == "shape" and recorded.kind in ANSWERS:
            yield from shape_differs(recorded, live, skip)


def _and_redacted(skip: Skip, redacted: tuple[str, ...]) -> Skip:
    """Return what passes over redacted places as well: what was there is not known."""
    return (lambda path: skip(path) or spell(*path) in redacted) if redacted else skip


def _reached(redacted: tuple[str, ...], recorded: Line, live: Line) -> Iterator[str]:
    """Give the redacted places at which the live line says something else, as it must."""
    if redacted:
        found = differences(recorded.body, live.body, at=(member_of(recorded),))
        yield from (each.path for each in found if each.path in redacted)


def _once(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """Return each place once: two matchers may have seen the same."""
    return tuple({difference.path: difference for difference in found}.values())
