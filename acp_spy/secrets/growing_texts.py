"""
Texts that are sent again and again, each time with more at their end: the output of a command.

What was sent before may end in the middle of a secret, or too soon after it to know that it is
one: `hash('x` and `hash('x')`. What is sent later has the rest, and shows it.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator

import msgspec

from acp_spy.secrets.encoded_text import is_mixed
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.pieces import Piece, SplitSecret, shown_by_others

_ENOUGH = 256  # characters before and after a cut
_TAIL = 16  # characters by which a text is known again
_MOST_ENDS = 8  # places at which a text may go on, if its end comes again and again
_MOST_AT_ONCE = 8  # texts of one tool call, or of all terminals of a client
_MOST = 64  # texts that grow at the same time
_MOST_KEPT = 4 * 1024 * 1024  # bytes of lines in which one of them was sent
_CUT_WORD = expression(rb"\S{6}\Z")  # at the end: of a shorter one, nothing is worth masking
_FENCE = expression(rb"\n`{3,}\s*\Z")  # around all that there is until then


class GrownText(msgspec.Struct):
    """The end of a text as it was sent once, and the text that it has become, from there `at`."""

    before: Piece
    at: int
    text: Piece

    def shown(self) -> Iterator[SplitSecret]:
        """Give the secrets of which it had a part or all, and that only the later text shows."""
        if not any(secret.pointer == self.text.pointer for secret in self.text.found):
            return
        before = _end_of(self.before)
        first = self.at - len(before.text)
        if first < 0:  # the later text has lost its beginning
            before, first = before.part(-first, len(before.text)), 0
        if self.text.text[first : self.at] != before.text:
            return
        # Where in its line the later text has each character.
        places = self.text.in_line([*range(first, self.at + 1)])
        for secret in self.text.found:
            if secret.start < places[-1] and places[0] < secret.end:
                start = bisect_left(places, secret.start)
                end = min(bisect_left(places, secret.end), len(before.text))
                yield from shown_by_others(
                    before, msgspec.structs.replace(secret, start=start, end=end)
                )

    def around_cut(self) -> list[Piece]:
        """Return what is before and after a cut in a word with letters and digits, else nothing."""
        end = self.before.text[-_ENOUGH:]
        if not _CUT_WORD.search(end):
            return []
        [*_, word] = end.split()
        after = self.text.part(self.at, self.at + _ENOUGH)
        rest = after.text.split(maxsplit=1)[:1]  # nothing, if the text was not sent again
        if not is_mixed(b"".join((word, *rest))):
            return []
        return [_end_of(self.before), msgspec.structs.replace(after, is_repeated=True)]


class _Growing(msgspec.Struct):
    """The text as it was sent last, and where in it is the end of what was sent before."""

    latest: Piece
    cuts: deque[tuple[Piece, int]] = msgspec.field(default_factory=deque)
    size: int = 0

    def grow(self, text: Piece, by: int = 0) -> list[GrownText]:
        """
        Take the text as it is sent now: with more, and without `by` at its beginning.

        Return what was sent before and ended there, with what came after it until now.
        """
        lost: list[GrownText] = []
        if by:
            lost = [GrownText(before, at, self.latest) for before, at in self.cuts if at < by]
            self.cuts = deque((before, at - by) for before, at in self.cuts if at >= by)
            self.size = sum(len(before.line.raw) for before, _ in self.cuts)
        self.latest = text
        self.cuts.append((text, len(text.text)))
        self.size += len(text.line.raw)
        return lost

    def take_old(self) -> Iterator[GrownText]:
        """Give that after which enough has come, and the oldest if it is too much to keep."""
        end = len(self.latest.text) - _ENOUGH
        while self.cuts and (self.cuts[0][1] <= end or self.size > _MOST_KEPT):
            yield self.take_one()

    def take_all(self) -> Iterator[GrownText]:
        """Give all that was sent before, with what the text is now."""
        while self.cuts:
            yield self.take_one()

    def take_one(self) -> GrownText:
        """Return what was sent first, with what the text is now, and forget it."""
        before, at = self.cuts.popleft()
        self.size -= len(before.line.raw)
        return GrownText(before, at, self.latest)


class GrowingTexts:
    """
    Feed it texts by whose they are; it gives those that have grown, or will no more.

    A text is known again by what it was before: it may be in another field then, and in turn with
    the outputs of other terminals.
    """

    def __init__(self) -> None:
        self._growing: dict[tuple[str, ...], list[_Growing]] = {}

    def feed(self, key: tuple[str, ...], text: Piece) -> list[GrownText]:
        """Take in a text; return what was sent before, when enough has come after it."""
        if fence := _FENCE.search(text.text):
            text = text.part(0, fence.start())
        if not text.text:
            return []
        known = self._growing.pop(key, [])
        growing, by = _Growing(text), 0
        for at in reversed(range(len(known))):
            end = _end_within(text.text, known[at].latest.text)
            if end is not None:
                growing = known.pop(at)
                by = len(growing.latest.text) - end
                break
        lost = growing.grow(text, by)
        self._growing[key] = [*known, growing]
        return [*lost, *growing.take_old(), *self._take_oldest(key)]

    def close(self) -> list[GrownText]:
        """Return what is left, as `feed` does."""
        growing, self._growing = self._growing, {}
        return [grown for texts in growing.values() for each in texts for grown in each.take_all()]

    def _take_oldest(self, key: tuple[str, ...]) -> list[GrownText]:
        """Return what there is no room for: of what was taken in last, or of what is the oldest."""
        if len(self._growing[key]) > _MOST_AT_ONCE:
            return [*self._growing[key].pop(0).take_all()]
        if sum(map(len, self._growing.values())) <= _MOST:
            return []
        oldest = next(iter(self._growing))
        grown = [*self._growing[oldest].pop(0).take_all()]
        if not self._growing[oldest]:
            del self._growing[oldest]
        return grown


def _end_of(text: Piece) -> Piece:
    start = max(0, len(text.text) - _ENOUGH)
    while start < len(text.text) and 0x80 <= text.text[start] < 0xC0:  # within a letter
        start += 1
    return text.part(start, len(text.text))


def _end_within(text: bytes, before: bytes) -> int | None:
    """
    Return where in a text ends what was sent `before`, which may have lost its beginning.

    Many outputs end alike: so all that both may have is compared, as far as a cut is looked at.
    """
    if text.startswith(before):
        return len(before)
    tail = before[-_TAIL:]
    end = 0
    for _ in range(_MOST_ENDS if len(tail) == _TAIL else 0):
        at = text.find(tail, max(0, end - _TAIL + 1))
        if at < 0:
            return None
        end = at + _TAIL
        size = min(end, _ENOUGH)
        if text.endswith(before[-size:], 0, end) and size <= len(before):
            return end
    return None


def is_cut(split: SplitSecret) -> bool:
    """Whether what was sent before ends in the middle of the secret."""
    [(piece, _), *_] = split.parts
    return split.secret.start < len(piece.text) < split.secret.end
