"""
Which keywords are in a short text: quicker than to search for each of the many shapes of a line.

A line of many secrets has many short texts, such as the strings of JSON in it. Each text has few of
the keywords of the line.
"""

from collections.abc import Collection, Mapping
from itertools import chain, pairwise

from acp_spy.secrets.encoded_text import with_visible, with_zeros_apart
from acp_spy.secrets.prefilter import frequency

_ESCAPES = (
    (b"\\", b"\\\\"),
    (b'"', b'\\"'),
    *((b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t"), (b"/", b"\\/")),
)


class KeywordIndex:
    """Keywords and their numbers, by the least common pair of neighboring bytes of each."""

    def __init__(self, numbers: Mapping[bytes, Collection[int]]) -> None:
        self._by_pair: dict[tuple[int, ...], list[tuple[bytes, Collection[int]]]] = {}
        self._by_byte: list[tuple[bytes, Collection[int]]] = []  # those of a single byte
        for word, of_word in numbers.items():
            pairs = list(pairwise(word))
            if not pairs:
                self._by_byte.append((word, of_word))
                continue
            rarest = min(pairs, key=lambda pair: frequency(pair[0]) * frequency(pair[1]))
            self._by_pair.setdefault(rarest, []).append((word, of_word))

    def numbers_in(self, text: bytes) -> set[int]:
        """Return the numbers of the keywords that are in a text, however a line may spell it."""
        spelled = _spelled(text)
        pairs = self._by_pair.keys() & set(pairwise(spelled))
        words = chain(self._by_byte, *(self._by_pair[pair] for pair in pairs))
        return {number for word, numbers in words if word in spelled for number in numbers}


def _spelled(text: bytes) -> bytes:
    """Return a text as it is in a line: keywords may have the quotes around it, and escapes."""
    if b"\x1b" in text or b"\0" in text or not text.isascii():
        text = with_visible(with_zeros_apart(text))
    escaped = text
    for plain, escape in _ESCAPES:
        escaped = escaped.replace(plain, escape)
    return b'"%b"' % text if escaped == text else b'"%b" "%b"' % (text, escaped)
