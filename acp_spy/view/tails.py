"""
A phrase that agents say in pieces: the end of a text so far, and what a row adds to it.

A text goes on as it does for `folding.py`: until its session says something else. The page has the
same in tails.js.
"""

from acp_spy.conversation.memory import remember
from acp_spy.view.folding import BESIDE, Said, conversation_of
from acp_spy.view.timeline import Row


class Tails:
    """Feed it all rows in their order. It keeps so many characters of each text, and no more."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._tails: dict[Said, tuple[str, str]] = {}  # who speaks, and the end

    def joined(self, row: Row) -> str:
        """Return what was said last and what `row` adds, in small letters; nothing for no text."""
        if row.kind != "notification" or not row.stream:
            if row.session is not None and row.what not in BESIDE:
                self._tails.pop(conversation_of(row), None)
            return ""
        where = conversation_of(row)
        speaker, tail = self._tails.get(where, ("", ""))
        text = (tail if speaker == row.stream else "") + row.text.lower()
        remember(self._tails, where, (row.stream, text[max(len(text) - self._length, 0) :]))
        return text
