"""
Texts that are sent again and again, each time with more at their end: the output of a command.

What was sent before may end in the middle of a secret, and too soon to know that it is one. What
is sent later has the rest.
"""

from collections.abc import Iterator

import msgspec

from acp_spy.secrets.encoded_text import is_mixed
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.pieces import Piece, SplitSecret

_ENOUGH = 256  # characters before and after a cut, and cuts in one word
_TAIL = 16  # characters by which a text is known again
_MOST = 64  # texts that grow at the same time
_BLANK = expression(rb"\s")
_CUT_WORD = expression(rb"\S{6}\Z")  # at the end: of a shorter one, nothing is worth masking


class _Growing(msgspec.Struct):
    """The text as it was sent last, and its earlier ends in the word that is at its end now."""

    latest: Piece
    cuts: list[tuple[Piece, int]]

    def move(self, by: int) -> None:
        """Take note that the text has lost some of its beginning."""
        if by:
            self.cuts = [(before, at + by) for before, at in self.cuts if at + by >= 0]

    def with_rest(self, text: Piece) -> Iterator[list[Piece]]:
        """Give what is before each cut and, from `text`, what is behind it."""
        for before, at in self.cuts:
            after = text.part(at, at + _ENOUGH)
            [*_, start] = before.text.split()
            end = after.text.split(maxsplit=1)[:1]  # nothing, if the text was not sent again
            if is_mixed(b"".join((start, *end))):
                yield [before, msgspec.structs.replace(after, is_repeated=True)]


class GrowingTexts:
    """Feed it texts by what tells them apart; it gives what to search, in two pieces each."""

    def __init__(self) -> None:
        self._growing: dict[tuple[str, ...], _Growing] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._growing)

    def feed(self, key: tuple[str, ...], text: Piece) -> list[list[Piece]]:
        """Take in a text; return the ends of those before, each with the rest of its word."""
        runs: list[list[Piece]] = []
        cuts: list[tuple[Piece, int]] = []
        if growing := self._growing.pop(key, None):
            end = _end_within(text.text, growing.latest.text)
            if end is None:  # it was another
                runs += growing.with_rest(growing.latest)
            else:
                growing.move(end - len(growing.latest.text))
                if _BLANK.search(text.text, end):
                    runs += growing.with_rest(text)
                else:
                    cuts = growing.cuts
        if _CUT_WORD.search(text.text[-_ENOUGH:]):
            end = len(text.text)
            cuts = [*cuts[-_ENOUGH:], (text.part(end - _ENOUGH, end), end)]
        if cuts:
            if len(self._growing) >= _MOST:
                oldest = self._growing.pop(next(iter(self._growing)))
                runs += oldest.with_rest(oldest.latest)
            self._growing[key] = _Growing(text, cuts)
        return runs

    def close(self) -> list[list[Piece]]:
        """Return what is left, as `feed` does."""
        growing, self._growing = self._growing, {}
        return [run for each in growing.values() for run in each.with_rest(each.latest)]


def _end_within(text: bytes, before: bytes) -> int | None:
    """Return where in a text ends what was sent `before`, which may have lost its beginning."""
    if text.startswith(before):
        return len(before)
    tail = before[-_TAIL:]
    at = text.find(tail) if len(tail) == _TAIL else -1
    return None if at < 0 else at + _TAIL


def is_cut(split: SplitSecret) -> bool:
    """Whether what was sent before ends in the middle of the secret."""
    [(piece, _), *_] = split.parts
    return split.secret.start < len(piece.text) < split.secret.end
