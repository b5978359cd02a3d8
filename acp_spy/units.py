"""Spans of time, sizes and counts as people read them: two or three digits, and a unit."""

from collections.abc import Iterable

_SIZES = ("kB", "MB", "GB", "TB")


def span(seconds: float) -> str:
    """Return a span of time: `340 µs`, `1.2 ms`, `34 ms`, `2.3 s`, `12 m 04 s`, `3 h 05 m`."""
    if seconds < 0:
        return "-" + span(-seconds)
    # Full microseconds, which is what clocks count, and halves up: so that the same span is
    # spelled the same wherever it was computed, and however its last digits were rounded.
    micro = int(min(seconds, 100) * 1e6 + 0.5)
    if micro < 1000:
        return f"{micro} µs"
    if micro < 9_950:
        return f"{_tenths(micro, 1000)} ms"
    if micro < 999_500:
        return f"{(micro + 500) // 1000} ms"
    if micro < 59_950_000:
        return f"{_tenths(micro, 1_000_000)} s"
    rounded = int(seconds + 0.5)
    if rounded < 3600:
        return f"{rounded // 60} m {rounded % 60:02} s"
    if rounded < 86400:
        return f"{rounded // 3600} h {rounded % 3600 // 60:02} m"
    return f"{rounded // 86400} d {rounded % 86400 // 3600:02} h"


def in_span(seconds: float) -> str:
    """Return `in 2.3 s`, or `at once` if no time passed."""
    return f"in {span(seconds)}" if seconds > 0 else "at once"


def size(octets: int) -> str:
    """Return a number of bytes: `512 B`, `1.2 kB`, `34 MB`."""
    if octets < 1000:
        return f"{octets} B"
    value, unit = octets / 1000, 0
    while value >= 999.5 and unit < len(_SIZES) - 1:
        value, unit = value / 1000, unit + 1
    return f"{_short(value)} {_SIZES[unit]}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `1 frame`, `1,234 frames`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def either(words: Iterable[str]) -> str:
    """Return `A`, `A or B`, `A, B or C`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def ended(status: int) -> str:
    """Return how an agent ended: `ended`, `ended with status 3`, `killed by signal 9`."""
    if status < 0:
        return f"killed by signal {-status}"
    return f"ended with status {status}" if status else "ended"


def _tenths(number: int, unit: int) -> str:
    tenths = (number * 10 + unit // 2) // unit
    return f"{tenths // 10}.{tenths % 10}"


def _short(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"
