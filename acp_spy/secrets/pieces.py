"""Texts that come in pieces: where in the lines of the pieces is what is found in the whole."""

from collections.abc import Iterator, Sequence

import msgspec

from acp_spy.capture.records import Stderr
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import PLACEHOLDER, is_in_placeholder
from acp_spy.secrets.secret import Secret, last_overlapping
from acp_spy.wire.frame import Frame
from acp_spy.wire.json_text import places_in

Line = Frame | Stderr

# `NAME=` and `user:` before what a line shows to be a secret, and a URL up to it.
_NAME_BEFORE = expression(
    rb"[+<>-]?(?:[A-Za-z]++[0-9]*+(?:[_.@-]++[A-Za-z]*+[0-9]*+)*+[:=]+|[a-z][a-z0-9+.-]*+://.*+)"
)

_LONGEST_ESCAPE = 6  # bytes for one of a text


class Piece(msgspec.Struct, gc=False):
    """One piece of a text: its line, and where in the bytes of that line it is."""

    line: Line
    start: int
    text: bytes
    pointer: str
    place: int  # what the caller knows the line by
    found: Sequence[Secret]  # what was seen in the line alone
    added: int = 0  # bytes at the end of the text that are not in the line, or stay in it
    # The text may be a string in JSON that is in a string: that JSON, and where it is there, from
    # the innermost out.
    inside: tuple[tuple[bytes, int], ...] = ()
    is_repeated: bool = False  # its line has the text before it, too, and shows what is in both
    in_base64: int = 0  # letters in its line, if the text is spelled so there: they are one secret
    message: str = ""  # which of those that come in turn it is a piece of, if its line says so
    is_restart: bool = False  # it replaces the text; other pieces may follow

    def part(self, start: int, end: int) -> "Piece":
        """Return the piece from `start` to `end` of this one, as far as it goes."""
        start = max(0, start)
        [at] = self.in_line([start])
        return msgspec.structs.replace(self, start=at, text=self.text[start:end])

    def part_of(self, secret: Secret, start: int, end: int) -> Secret:
        """Return the part of a secret that is here, from `start` to `end` of the line."""
        part = msgspec.structs.replace(secret, start=start, end=end, pointer=self.pointer)
        if not self.in_base64:
            return part
        # No letter of base64 spells a part alone: all of it gets a placeholder.
        end = self.start + self.in_base64
        return msgspec.structs.replace(part, start=self.start, end=end, replacement=b"")

    def shows(self, part: Secret) -> Secret | None:
        """Return what was seen in the line alone of a part of a secret; in base64, only itself."""
        seen = last_overlapping(self.found, part)
        return seen if seen and (not self.in_base64 or seen.text == part.text) else None

    def in_line(self, places: list[int]) -> list[int]:
        """Return where in the line is what is at `places`, ascending, of the text."""
        if self.in_base64:
            return [self.start] * len(places)
        last = len(self.text) - self.added
        known = [min(place, last) for place in places]
        for json, start in self.inside:
            known = [start + place for place in places_in(json[start:], known)]
        if self.pointer:
            # No further than any spelling of the text: the line may have images after it.
            end = self.start + _LONGEST_ESCAPE * (known[-1] + 1) if known else self.start
            known = places_in(self.line.raw[self.start : end], known)
        return [self.start + place for place in known]


class SplitSecret(msgspec.Struct, gc=False):
    """A secret in a text of several pieces: all of the text, and the lines it is spread over."""

    text: bytes
    secret: Secret
    parts: list[tuple[Piece, Secret]]


def split_over(text: bytes, found: Sequence[Secret], pieces: Sequence[Piece]) -> list[SplitSecret]:
    """Return those of `found`, in the text of `pieces`, that no piece has shown alone."""
    spans: list[list[int]] = [[] for _ in found]  # the pieces of each secret
    places: list[list[int]] = [[] for _ in pieces]  # in their texts, where secrets begin and end
    at = first = 0
    for secret, numbers in zip(found, spans, strict=True):
        while at + len(pieces[first].text) <= secret.start:
            at += len(pieces[first].text)
            first += 1
        number, start = first, at
        while start < secret.end:
            end = start + len(pieces[number].text)
            if end > start:
                numbers.append(number)
                places[number] += max(secret.start, start) - start, min(secret.end, end) - start
            number, start = number + 1, end
    in_lines = [iter(piece.in_line(known)) for piece, known in zip(pieces, places, strict=True)]
    split: list[SplitSecret] = []
    for secret, numbers in zip(found, spans, strict=True):
        goes_on = msgspec.structs.replace(secret, is_continuation=True)
        parts = [
            (
                pieces[number],
                pieces[number].part_of(
                    secret if number == numbers[0] else goes_on,
                    next(in_lines[number]),
                    next(in_lines[number]),
                ),
            )
            for number in numbers
        ]
        parts = [each for each in parts if not each[0].is_repeated]
        if not parts:
            continue
        [(piece, part), *others] = parts
        if (others or pieces[-1].is_repeated) and is_in_placeholder(
            piece.line.raw, part.start, part.end
        ):
            continue  # an earlier run has seen it alone, and what follows was none of it
        seen = piece.shows(part)
        if others or not seen or part.start < seen.start or seen.end < part.end:
            split.append(SplitSecret(text, secret, parts))
    return split


def shown_by_others(piece: Piece, secret: Secret) -> Iterator[SplitSecret]:
    """
    Give a secret in the text of a piece, which other lines show to be one, unless its own does.

    Its own may show a part of it: what an output had that has grown since, or another secret.
    """
    if PLACEHOLDER.fullmatch(secret.text):
        return  # an earlier run has masked it
    part = piece.part_of(secret, *piece.in_line([secret.start, secret.end]))
    seen = piece.shows(part)
    is_shown = seen and (
        (seen.start <= part.start and part.end <= seen.end)
        or _NAME_BEFORE.fullmatch(piece.line.raw, part.start, max(part.start, seen.start))
    )
    if not is_shown:
        yield SplitSecret(piece.text, secret, [(piece, part)])
