"""
A unified diff of two lists of lines, in time that is proportional to their length.

`difflib` looks for the longest run that is the same: in 20,000 lines of which each comes again a
hundred times, that takes half a minute. Here the two are read side by side. Where they part, the
next place where they meet is looked for nearby. That finds less, and is for what is too long.
"""

from collections.abc import Iterator, Sequence
from difflib import unified_diff

_LONGEST = 4000  # lines of both
_REACH = 32  # lines that are looked ahead
_SAME = 3  # lines that must be the same where the two meet
_CONTEXT = 3

Change = tuple[int, int, int, int]  # from and to in the one, from and to in the other


def line_diff(before: Sequence[str], after: Sequence[str], one: str, other: str) -> Iterator[str]:
    """Give a unified diff of what is called `one` and `other`."""
    if len(before) + len(after) <= _LONGEST:
        yield from unified_diff(before, after, one, other, lineterm="")
        return
    yield from (f"--- {one}", f"+++ {other}")
    for hunk in _hunks([*_changes(before, after)]):
        first, last = hunk[0], hunk[-1]
        lead = min(_CONTEXT, first[0])
        tail = min(_CONTEXT, len(before) - last[1])
        start, end = first[0] - lead, last[1] + tail
        yield f"@@ -{_range(start, end)} +{_range(first[2] - lead, last[3] + tail)} @@"
        for gone_from, gone_to, new_from, new_to in hunk:
            yield from (f" {line}" for line in before[start:gone_from])
            yield from (f"-{line}" for line in before[gone_from:gone_to])
            yield from (f"+{line}" for line in after[new_from:new_to])
            start = gone_to
        yield from (f" {line}" for line in before[start:end])


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[Change]:
    at = to = 0
    while at < len(before) or to < len(after):
        if at < len(before) and to < len(after) and before[at] == after[to]:
            at, to = at + 1, to + 1
            continue
        gone, new = _apart(before[at : at + _REACH + _SAME], after[to : to + _REACH + _SAME])
        yield at, at + gone, to, to + new
        at, to = at + gone, to + new


def _apart(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return after how many lines of either the two meet again."""
    for both in range(1, len(before) + len(after)):
        for gone in range(max(0, both - len(after)), min(both, len(before)) + 1):
            new = both - gone
            if before[gone : gone + _SAME] == after[new : new + _SAME]:
                return gone, new
    return len(before), len(after)


def _hunks(changes: Sequence[Change]) -> Iterator[list[Change]]:
    hunk: list[Change] = []
    for change in changes:
        if hunk and change[0] - hunk[-1][1] > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _range(start: int, end: int) -> str:
    if end - start == 1:
        return str(end)
    return f"{start + 1 if end > start else start},{end - start}"
