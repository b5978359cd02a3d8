"""
A line without the images in it, to be taken apart: most long messages are short but for those.

What is split over the blocks of a prompt is beside an image as often as not. To parse all of the
image for it would take as long as everything else.
"""

from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.wire.json_text import Leaf, leaves

_LEAST = 1024  # bytes of an image: what is shorter is kept
_DATA = expression(rb"(?:data:[\w/.+-]{1,100};base64,)?[A-Za-z0-9+/_-]{%d}" % (_LEAST // 2))
_OF_END = _LEAST // 4
_END = expression(rb"[A-Za-z0-9+/_-]{%d}[A-Za-z0-9+/=_-]{2}" % (_OF_END - 2))


class ShortForm(msgspec.Struct, frozen=True):
    """A line in which images are empty strings: where these are, and how long all up to each."""

    text: bytes
    places: tuple[int, ...] = ()
    lengths: tuple[int, ...] = ()

    def leaves(self) -> Iterator[Leaf]:
        """Give the leaves, with their places in the line itself; an image is an empty one."""
        found = leaves(self.text)
        return map(self._in_line, found) if self.places else found

    def _in_line(self, leaf: Leaf) -> Leaf:
        if not (before := bisect_left(self.places, leaf.start)):
            return leaf
        length = self.lengths[before - 1]
        return msgspec.structs.replace(leaf, start=leaf.start + length, end=leaf.end + length)


def short_form(raw: bytes, most: int) -> ShortForm | None:
    """Return the short form of a line; `None` if even that has more than `most` bytes."""
    if len(raw) <= most:
        return ShortForm(raw)
    parts: list[bytes] = []
    places: list[int] = []
    lengths: list[int] = []
    last = at = left_out = 0
    while (quote := raw.find(b'"', at)) >= 0:
        if quote - at >= _LEAST and _is_data(raw, at, quote):
            parts.append(raw[last:at])
            places.append(at - left_out)
            left_out += quote - at
            lengths.append(left_out)
            last = quote
        at = quote + 1
        if at - left_out > most:
            return None
    if len(raw) - left_out > most:
        return None
    return ShortForm(b"".join((*parts, raw[last:])), tuple(places), tuple(lengths))


def _is_data(raw: bytes, start: int, end: int) -> bool:
    """Whether a string is encoded in base64, as its start and its end look."""
    return bool(_DATA.match(raw, start, end) and _END.fullmatch(raw, end - _OF_END, end))
