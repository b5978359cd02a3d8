"""All differences between two captures: messages, findings, end, times."""

import os
import re
from collections.abc import Mapping

import msgspec

from acp_spy.capture.records import Capture
from acp_spy.comparison.changes import (
    ADDED,
    CHANGED,
    GONE,
    MOVED,
    Change,
    Changes,
    find_changes,
    is_slower,
)
from acp_spy.comparison.item import Item
from acp_spy.comparison.normalize import Normalizer
from acp_spy.comparison.read import LoadedCapture, load_for_diff
from acp_spy.view.findings.report import Mistake, MistakeKey, mistake_key
from acp_spy.view.stats.model import Method

KINDS = (ADDED, GONE, CHANGED, MOVED)
TOOL_CALLS = "tool calls"
_LITERAL = re.compile(r"`([^`]*)`")


class Latency(msgspec.Struct, frozen=True):
    """How long the responses to one method took on either side, if it was requested there."""

    asker: str
    method: str
    one: Method | None
    other: Method | None

    @property
    def is_slower(self) -> bool:
        """Whether the slowest of all, or of as many the median, takes much longer than before."""
        if self.one is None or self.other is None:
            return False
        before, now = self.one.latency, self.other.latency
        is_comparable = before.count == now.count  # else the median may be of other things
        return is_slower(before.max, now.max) or (is_comparable and is_slower(before.p50, now.p50))


class CaptureDiff(msgspec.Struct, frozen=True):
    """The one model that both renderers read; `came` and `went` are findings."""

    one: LoadedCapture
    other: LoadedCapture
    said: Changes
    came: tuple[Mistake, ...]
    went: tuple[Mistake, ...]
    latencies: tuple[Latency, ...]
    tool_calls: Latency | None  # of all of them, if there are any

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was added, is gone, has changed or moved, in the order of the first capture."""
        return self.said.changes

    @property
    def slower(self) -> tuple[tuple[Item, Item], ...]:
        """The messages that took much longer than before, each with the one of the first."""
        return self.said.slower

    @property
    def ends_differ(self) -> bool:
        """
        Whether the agents ended differently, or one capture lacks the end.

        What another tool has recorded may lack it, and the agent have ended all the same. What is
        still being recorded has no end yet.
        """
        both = (self.one.stats, self.other.stats)
        if any((stats.imported or stats.running) and stats.status is None for stats in both):
            return False
        return self.one.stats.status != self.other.stats.status

    @property
    def is_equal(self) -> bool:
        """Whether there is no difference that counts: times and stderr do not."""
        return not (self.said.changes or self.came or self.went or self.ends_differ)

    def count(self, kind: str) -> int:
        """Return how many changes of a kind there are."""
        return sum(change.kind == kind for change in self.said.changes)


def diff(
    one: Capture | str | os.PathLike[str], other: Capture | str | os.PathLike[str]
) -> CaptureDiff:
    """Return what changed from one capture to another, paths or what `load` gave."""
    return diff_captures(load_for_diff(one), load_for_diff(other))


def diff_captures(one: LoadedCapture, other: LoadedCapture) -> CaptureDiff:
    """Return what changed from `one` to `other`."""
    here, there = _mistakes(one), _mistakes(other)
    return CaptureDiff(
        one,
        other,
        find_changes(one.side, other.side),
        tuple(mistake for key, mistake in there.items() if key not in here),
        tuple(mistake for key, mistake in here.items() if key not in there),
        _latencies(one, other),
        _tool_calls(one, other),
    )


def _mistakes(loaded: LoadedCapture) -> Mapping[MistakeKey, Mistake]:
    """Return each mistake once, by what was found, whatever names are in it."""
    names = loaded.side.names
    normalizer = Normalizer({}, loaded.side.folders, loaded.side.cwd)

    def literal(found: re.Match[str]) -> str:
        kind = names.get(found[1].strip('"'))
        return f"`<{kind}>`" if kind else found[0]

    mistakes: dict[MistakeKey, Mistake] = {}
    for mistake in loaded.report.mistakes:
        text = normalizer.text(_LITERAL.sub(literal, mistake.first.text))
        mistakes.setdefault(mistake_key(msgspec.structs.replace(mistake.first, text=text)), mistake)
    return mistakes


def _latencies(one: LoadedCapture, other: LoadedCapture) -> tuple[Latency, ...]:
    """Return the methods that either side requested, in the order of the first."""
    here, there = _asked(one), _asked(other)
    return tuple(
        Latency(*asked, here.get(asked), there.get(asked))
        for asked in sorted(dict.fromkeys([*here, *there]), key=lambda asked: asked[0] != "client")
    )


def _tool_calls(one: LoadedCapture, other: LoadedCapture) -> Latency | None:
    """Return how long the tool calls took, as if they were one method of the agent."""
    here, there = (
        Method("agent", TOOL_CALLS, spans.count, 0, 0, 0, spans)
        if (spans := loaded.stats.tool_calls) and spans.count
        else None
        for loaded in (one, other)
    )
    return Latency("agent", TOOL_CALLS, here, there) if here or there else None


def _asked(loaded: LoadedCapture) -> dict[tuple[str, str], Method]:
    return {
        (method.asker, method.method): method for method in loaded.stats.methods if method.requests
    }
