"""
Where a redacted capture could not be compared, or sends a placeholder: each place is told once.

What stood there nobody knows any more. So it is passed over, and whoever wonders why an agent
refuses a key, or why another prompt was taken for the recorded one, is told the place.
"""

from collections.abc import Iterable, Iterator

from acp_spy.replay.divergence import Note
from acp_spy.replay.line import Line, clip

ANYWHERE = ""  # the place in a line that was too odd for its places to be named
_HINT = "to have what stood there, play the capture that was redacted, or record without --redact"


class Redactions:
    """Remembers, during one play, what it has told."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def not_compared(self, line: Line, places: Iterable[str]) -> Iterator[Note]:
        """Give a note on a live line that differs from the recorded one in these places."""
        yield from self._note(line, places, "is redacted and was not compared")

    def sent(self, line: Line, places: Iterable[str]) -> Iterator[Note]:
        """Give a note on a recorded line that is sent with placeholders in these places."""
        yield from self._note(line, places, "is redacted and was sent with a placeholder")

    def _note(self, line: Line, places: Iterable[str], words: str) -> Iterator[Note]:
        fresh = [place for place in places if (line.method, place) not in self._told]
        if fresh:
            hint = "" if self._told else _HINT
            self._told.update((line.method, place) for place in fresh)
            where = "" if ANYWHERE in fresh else f" at {clip(', '.join(fresh))}"
            yield Note(line, words + where, hint=hint)
