"""What two captures differ in: the one model that both renderers read."""

import re
from collections.abc import Mapping

import msgspec

from acp_spy.diff.changes import ADDED, CHANGED, GONE, MOVED, Changes, compare
from acp_spy.diff.normalize import Speller
from acp_spy.diff.read import Told
from acp_spy.view.findings.report import Gist, Mistake, gist
from acp_spy.view.stats.model import Method

KINDS = (ADDED, GONE, CHANGED, MOVED)
_LITERAL = re.compile(r"`([^`]*)`")


class Latency(msgspec.Struct, frozen=True):
    """How long the answers to one method took on either side, if it was asked there."""

    asker: str
    method: str
    one: Method | None
    other: Method | None


class Comparison(msgspec.Struct, frozen=True):
    """All differences between two captures; `came` and `went` are findings."""

    one: Told
    other: Told
    said: Changes
    came: tuple[Mistake, ...]
    went: tuple[Mistake, ...]
    latencies: tuple[Latency, ...]

    @property
    def ends_differ(self) -> bool:
        """
        Whether the agents ended in another way, or one capture lacks the end.

        What another tool has recorded may lack it, and the agent have ended all the same.
        """
        both = (self.one.stats, self.other.stats)
        if any(stats.imported and stats.status is None for stats in both):
            return False
        return self.one.stats.status != self.other.stats.status

    @property
    def is_equal(self) -> bool:
        """Whether there is no difference that counts: times and stderr do not."""
        return not (self.said.changes or self.came or self.went or self.ends_differ)

    def count(self, kind: str) -> int:
        """Return how many changes of a kind there are."""
        return sum(change.kind == kind for change in self.said.changes)


def compare_captures(one: Told, other: Told) -> Comparison:
    """Return what changed from `one` to `other`."""
    here, there = _mistakes(one), _mistakes(other)
    return Comparison(
        one,
        other,
        compare(one.side, other.side),
        tuple(mistake for key, mistake in there.items() if key not in here),
        tuple(mistake for key, mistake in here.items() if key not in there),
        _latencies(one, other),
    )


def _mistakes(told: Told) -> Mapping[Gist, Mistake]:
    """Return each mistake once, by what is found whatever the names are."""
    names = told.side.names
    speller = Speller({}, told.side.folders, told.side.cwd)

    def literal(found: re.Match[str]) -> str:
        kind = names.get(found[1].strip('"'))
        return f"`<{kind}>`" if kind else found[0]

    mistakes: dict[Gist, Mistake] = {}
    for mistake in told.report.mistakes:
        text = speller.text(_LITERAL.sub(literal, mistake.first.text))
        mistakes.setdefault(gist(msgspec.structs.replace(mistake.first, text=text)), mistake)
    return mistakes


def _latencies(one: Told, other: Told) -> tuple[Latency, ...]:
    """Return the methods that either side asked by, in the order of the first."""
    here, there = _asked(one), _asked(other)
    return tuple(
        Latency(*asked, here.get(asked), there.get(asked))
        for asked in sorted(dict.fromkeys([*here, *there]), key=lambda asked: asked[0] != "client")
    )


def _asked(told: Told) -> dict[tuple[str, str], Method]:
    return {
        (method.asker, method.method): method for method in told.stats.methods if method.requests
    }
