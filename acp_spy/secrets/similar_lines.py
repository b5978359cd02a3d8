"""
Lines that differ from an earlier one in their text only: most frames of a conversation are chunks.

What was found out about the rest of such a line need not be found out again.
"""

from typing import Generic, TypeVar

from acp_spy.secrets.expressions import expression
from acp_spy.wire.json_text import STRING

Known = TypeVar("Known")

_TEXT = expression(rb'"text"\s*:\s*"')
_MOST = 8  # kinds of lines: of several sessions at the same time, thoughts and texts
_LONGEST = 1024  # bytes around the text


class SimilarLines(Generic[Known]):
    """Keeps what is known about the last few kinds of lines: about all of a line but its text."""

    def __init__(self) -> None:
        self._kinds: list[tuple[bytes, bytes, Known]] = []  # what is before the text, and after

    def like(self, raw: bytes) -> tuple[Known, int, int] | None:
        """Return what is known about lines like `raw`, and where the text of this one is."""
        for before, after, known in self._kinds:
            if raw.startswith(before) and raw.endswith(after):
                start, end = len(before), len(raw) - len(after)
                if start <= end and STRING.fullmatch(raw, start, end):
                    return known, start, end
        return None

    def add(self, raw: bytes, start: int, end: int, known: Known) -> None:
        """Keep what is known about lines like `raw`, whose text is from `start` to `end`."""
        if start + len(raw) - end > _LONGEST:
            return  # more than the text of others may be
        self._kinds = [(raw[:start], raw[end:], known), *self._kinds[: _MOST - 1]]


def text_in(raw: bytes) -> tuple[int, int] | None:
    """Return where the text of a line is, if it has one near its start."""
    name = _TEXT.search(raw, 0, _LONGEST)
    if name is None:
        return None
    text = STRING.match(raw, name.end())
    assert text is not None  # it may be empty
    return text.span()
