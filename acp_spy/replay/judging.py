"""Whether a live line will do for the recorded one: what counts as a divergence, what is told."""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.replay.bindings import Bindings
from acp_spy.replay.difference import ABSENT, Difference, differences
from acp_spy.replay.divergence import Note
from acp_spy.replay.line import ANSWERS, ERROR, NOTIFICATION, REQUEST, UNREADABLE, Line, clip
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
from acp_spy.replay.script import Expect, Script, Send
from acp_spy.wire.frame import Peer
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import fields

# Of these an answer of the same shape has the same value, too.
_TELLING = ("stopReason", "stop_reason", "protocolVersion", "protocol_version", "outcome", "code")


class Verdict(msgspec.Struct, frozen=True):
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
        self._is_exact = (
            match_exact in self._matchers if role is Peer.AGENT else options.expect == "exact"
        )
        self._skip = skipping(options.ignore)

    @property
    def is_lenient(self) -> bool:
        """Whether nothing but kind and method can make a call differ."""
        return not self._matchers and not self._is_exact

    def compare(self, expect: Expect, live: Line, bindings: Bindings) -> Verdict:
        """Return where `live` differs from the recorded line, whose names are bound by now."""
        recorded = translated(expect.line, bindings)
        if recorded.raw[recorded.begins :] == live.raw[live.begins :]:
            return Verdict()
        if recorded.kind == UNREADABLE:
            noise = (Difference("", str(recorded.raw), str(live.raw)),)
            return Verdict(counts=noise) if self._is_exact else Verdict(besides=noise)
        skip = _and_redacted(self._skip, expect.redacted)
        redacted = tuple(_reached(expect.redacted, recorded, live))
        if self._role is Peer.CLIENT and recorded.kind in (*ANSWERS, NOTIFICATION):
            return Verdict(_once(self._of_agent(recorded, live, skip)), redacted=redacted)
        counts = [*answer_differs(recorded, live)]
        for matcher in self._matchers:
            counts += matcher(recorded, live, skip)
        if self._role is Peer.CLIENT and self._is_exact:
            counts += match_exact(recorded, live, skip)
        besides = () if counts else match_params(recorded, live, skip)
        return Verdict(_once(counts), _once(besides), redacted)

    def notes(self, expect: Expect, verdict: Verdict) -> Iterator[Note]:
        """Give what is worth telling about a line that was taken for the recorded one."""
        if verdict.besides:
            yield Note(expect.line, "came with a difference", verdict.besides)
        if verdict.redacted:
            places = ", ".join(verdict.redacted)
            yield Note(expect.line, f"is redacted and was not compared at {clip(places)}")
        if expect.line.kind == REQUEST and expect.place not in self._answered:
            yield Note(expect.line, "has no answer in the capture: none will come")

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
            yield from _shape_differs(recorded, live, skip)


def _shape_differs(recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
    """Give where an answer has another shape: what is gone, or of another type; more is fine."""
    if recorded.kind != live.kind:
        yield from answer_differs(recorded, live)
        return
    if recorded.kind == ERROR:  # the rest of an error is words for people
        one, other = fields(recorded.body).get("code"), fields(live.body).get("code")
        yield from _shapes(one, other, skip, ("error", "code"))
    else:
        yield from _shapes(recorded.body, live.body, skip, ("result",))


def _shapes(
    recorded: object, live: object, skip: Skip, at: tuple[str | int, ...]
) -> Iterator[Difference]:
    if skip(at) or at[-1] == "_meta":
        return
    if isinstance(recorded, dict) and isinstance(live, dict):
        for key, value in recorded.items():
            yield from _shapes(value, live.get(key, ABSENT), skip, (*at, key))
    elif _type(recorded) != _type(live) or (at[-1] in _TELLING and recorded != live):
        yield Difference(spell(*at), recorded, live)


def _type(value: object) -> type:
    return float if type(value) is int else type(value)


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
