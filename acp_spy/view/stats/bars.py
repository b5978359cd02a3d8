"""Figures as small pictures of one line: a course over time, and a span within another."""

from collections.abc import Sequence

_LEVELS = "▁▂▃▄▅▆▇█"


def course(amounts: Sequence[int], width: int) -> str:
    """Return a column for each amount; nothing is a blank, and the least of something is seen."""
    columns = _fitted(amounts, width)
    highest = max(columns, default=0)
    return "".join(
        _LEVELS[min(len(_LEVELS) - 1, amount * len(_LEVELS) // highest)] if amount else " "
        for amount in columns
    )


def within(start: float, end: float, whole: float, width: int) -> str:
    """Return a bar from `start` to `end` in a line that stands for `whole`."""
    if whole <= 0:
        return ""
    first = min(width - 1, max(0, int(start / whole * width)))
    last = min(width, max(first + 1, round(end / whole * width)))
    return "·" * first + "█" * (last - first) + "·" * (width - last)


def _fitted(amounts: Sequence[int], width: int) -> list[int]:
    """Return `amounts` summed up in at most `width` columns."""
    each = -(-len(amounts) // max(1, width)) or 1
    return [sum(amounts[start : start + each]) for start in range(0, len(amounts), each)]
