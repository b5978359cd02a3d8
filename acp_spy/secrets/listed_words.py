"""Command lines and pairs that are lists in JSON: what a word is, the words before it say."""

from acp_spy.secrets import json_places as places
from acp_spy.secrets.command_lines import in_words, is_program
from acp_spy.secrets.named_values import in_pair
from acp_spy.secrets.secret import Secret, secret_at, without_overlap
from acp_spy.wire.json_text import Leaf


class ListedWords:
    """
    The words that were read of one JSON text, leaf by leaf.

    A list of words has its program beside it, as in `{"command": "mysql", "args": ["-p", "x"]}`, or
    begins with it. `["NAME", "value"]` is a pair.
    """

    def __init__(self, raw: bytes) -> None:
        self.last = ""  # the word before the next leaf; empty if that is the first, or no word
        self._raw = raw
        self._words: list[bytes] = []
        # Where they begin: a path would be as long as it is deep, for each leaf of a deep message.
        self._owner: int | None = None  # the object whose program is the first of the words
        self._list: int | None = None
        self._first = b""  # what the list begins with

    def read(self, leaf: Leaf, text: bytes, hits: list[Secret]) -> list[Secret]:
        """Take note of `text`; return `hits`, or if there are none, what the words before say."""
        if leaf.is_name or not leaf.path:
            self.last = ""
            return hits
        at = leaf.path[-1]
        if at == 0:
            self._list, self._first = leaf.inside, text
        is_in_list = isinstance(at, int) and leaf.inside == self._list
        if not hits and at == 1 and is_in_list:
            hits = in_pair(self._raw, leaf.end, self._first, text)
        if places.is_word(leaf.path) or (is_in_list and is_program(self._first)):
            self.last = text.decode(errors="replace")
            return self._read_word(leaf, text, hits)
        self.last = ""
        if at in places.PROGRAM:
            self._owner, self._words = leaf.inside, [text]
        return hits

    def _read_word(self, leaf: Leaf, text: bytes, hits: list[Secret]) -> list[Secret]:
        if leaf.path[-1] == 0 and leaf.above != self._owner:
            self._words = places.program_after(self._raw, leaf.end)
        if not hits:
            spans = in_words(self._words, text)
            hits = without_overlap([secret_at(text, *span, "command-line") for span in spans])
        self._words.append(text)
        return hits
