"""
Whether a line may hold a secret at all: one quick check, since nearly all lines hold none.

Every line of a recording that is redacted while it is made waits for this. To ask for each keyword
with `in` took ten times as long, and one plain expression of them all even more.
"""

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

import msgspec

from acp_spy.secrets.shape import compiled
from acp_spy.wire.json_text import spelled_plainly

# The bytes of traffic, as counted in recordings: the common first. What is missing here is rare.
_COMMON = b'"etsan :od,irpcmluf{}gh-0218.65y/394b_7xkIwvj|q\\U=TC`[]SPARLMDE()zO;FYVJNGK><H'

_RAREST = 0.9**45
_MANY = 16
_LONGEST_WORD = 40

# From here on one search for each of the rare bytes is quicker than one for all.
_LARGE = 4096

# A name in an object, or in one that is spelled in a string. One with an escape in it is
# `has_escaped_ascii`.
_NAME = re.compile(rb'"([^"\\]{1,256}+(?:\\/[^"\\]{0,256}+)?)\\*+"[ \t\r\n]*:')
_PLAIN_NAME = re.compile(rb'"([^"\\]{1,256}+)"[ \t\r\n]*:')  # in a line without a backslash
_NONE: frozenset[bytes] = frozenset()
# Some libraries always escape `&`, `<`, `>` or `/`.
_ESCAPED_ASCII = re.compile(rb"\\u00[2-7]|\\/")


# An image, a file: no key is in the middle of so many letters, whatever they spell by chance.
_BLOCK = 2048
_DATA = re.compile(rb"[A-Za-z0-9+/]{%d}" % _BLOCK)
# But a text may be so long, too. Of that many letters of an image some are always controls.
_SAMPLE = 192
_HEX = re.compile(rb"[0-9A-Fa-f]{%d}" % _SAMPLE)
_CONTROLS = bytes(each for each in range(32) if each not in b"\t\n\r\x1b")


class Prefilter:
    """
    Looks for keywords, and for names that `is_relevant` accepts.

    Names are few and come again and again, so that each is asked about once. They are counted, as
    a peer may make up new ones without end.
    """

    def __init__(self, keywords: Iterable[bytes], is_relevant: Callable[[str], bool]) -> None:
        self._searches, self._any = _searches_for(frozenset(keywords))
        self._is_relevant = is_relevant
        self._irrelevant: set[bytes] = set()

    def keywords_in(self, raw: bytes) -> frozenset[bytes]:
        """Return the keywords that are in `raw`."""
        if len(raw) < _LARGE and not self._any.search(raw):
            return _NONE
        return self._search(raw)

    def _search(self, raw: bytes) -> frozenset[bytes]:
        return frozenset(
            word
            for search in self._searches
            if search.byte in raw  # many times faster than the search itself
            for word in _words_in(raw, search.words, compiled(search.pattern))
        )

    def has_relevant_name(self, raw: bytes) -> bool:
        """Whether one of the names in `raw` is relevant."""
        names = _NAME if b"\\" in raw else _PLAIN_NAME
        found = names.findall(raw)
        if self._irrelevant.issuperset(found):
            return False
        new = set(found) - self._irrelevant
        if any(self._is_relevant(name.decode(errors="replace")) for name in new):
            return True
        if len(self._irrelevant) < 10_000:
            self._irrelevant |= new
        return False


def _words_in(raw: bytes, words: Sequence[bytes], search: re.Pattern[bytes]) -> Iterable[bytes]:
    """Return those of `words`, one of which is wherever `search` matches, that are in `raw`."""
    first = search.search(raw)
    if first is None:
        return ()
    if len(words) > _MANY:  # then to look around each match is quicker, if there are few
        places = [match.start() for match in islice(search.finditer(raw, first.start()), _MANY)]
        if len(places) < _MANY:
            around = (raw[max(0, at - _LONGEST_WORD) : at + _LONGEST_WORD] for at in places)
            raw = b"\0".join(around)  # no keyword has a zero
    return [word for word in words if word in raw]


def has_escaped_ascii(raw: bytes) -> bool:
    """Whether plain letters are spelled as escapes, so that the prefilter does not see them."""
    return (b"\\u00" in raw or b"\\/" in raw) and _ESCAPED_ASCII.search(raw) is not None


def readable(raw: bytes) -> bytes:
    """Return a line with its escaped ASCII as letters: to be searched only."""
    return spelled_plainly(raw) if has_escaped_ascii(raw) else raw


def without_data(raw: bytes) -> bytes:
    """Return a line without the middle of what is encoded in base64: to be searched only."""
    if len(raw) < _LARGE:
        return raw
    starts = range(0, len(raw), _BLOCK)
    is_data = [_DATA.match(raw, at) is not None and not _may_be_text(raw, at) for at in starts]
    if not any(is_data):
        return raw
    around = zip([False, *is_data], is_data, [*is_data[1:], False], strict=False)
    return b"".join(
        b" " if all(blocks) else raw[at : at + _BLOCK]
        for at, blocks in zip(starts, around, strict=True)
    )


def _may_be_text(raw: bytes, start: int) -> bool:
    """Whether letters may be those of a text in base64, or hexadecimal digits."""
    if _HEX.match(raw, start):
        return True
    samples = (raw[start + at : start + at + _SAMPLE] for at in range(4))
    texts = map(a2b_base64, samples)
    return any(len(text) == len(text.translate(None, _CONTROLS)) for text in texts)


class _Search(msgspec.Struct, frozen=True):
    """An expression that finds any of `words`: it looks for `byte` first."""

    byte: bytes
    words: list[bytes]
    pattern: bytes


@cache  # each file that is looked at has a prefilter of its own
def _searches_for(keywords: frozenset[bytes]) -> tuple[list[_Search], re.Pattern[bytes]]:
    """Return what finds each of the keywords, and one expression that finds any."""
    searches = list(_searches(keywords))
    return searches, re.compile(b"|".join(search.pattern for search in searches))


def _searches(words: Iterable[bytes]) -> Iterator[_Search]:
    """
    Give expressions that together find any of `words`.

    Each looks for a rare byte first, and only there at what is around it. A word in which another
    one is, as `sk-` in `sk-proj-`, needs no search of its own.
    """
    found_by: dict[bytes, list[bytes]] = {}
    all_words = frozenset(words)
    for word in sorted(all_words):
        shortest = next(part for part in _parts(word) if part in all_words)
        found_by.setdefault(shortest, []).append(word)
    # By the byte, and then by the one beside it: nearly all others are out of the question at once.
    by_byte: dict[bytes, dict[bytes, list[bytes]]] = {}
    found: dict[bytes, list[bytes]] = {}
    for word, anchor in _anchors(found_by).items():
        at = word.index(anchor)
        byte, rest = word[at : at + 1], word[at + 1 :]
        by_byte.setdefault(byte, {}).setdefault(rest[:1], []).append(word)
        found.setdefault(byte, []).extend(found_by[word])
    for byte, by_next in by_byte.items():
        ending = by_next.pop(b"", [])
        branches = [
            b"%b(?:%b)" % (re.escape(after), b"|".join(_rest(word, byte) for word in words))
            for after, words in by_next.items()
        ]
        if ending:
            # To look back for one after the other takes long: first, whether it may be any.
            columns = list(zip(*(word[::-1] for word in ending), strict=False))[::-1]
            any_of = b"".join(b"[%b]" % re.escape(bytes(sorted({*column}))) for column in columns)
            ends = b"|".join(b"(?<=%b)" % re.escape(word) for word in ending)
            branches.append(b"(?<=%b)(?:%b)" % (any_of, ends))
        pattern = b"%b(?:%b)" % (re.escape(byte), b"|".join(branches))
        yield _Search(byte, found[byte], pattern)


def _rest(word: bytes, byte: bytes) -> bytes:
    """Return what finds `word` after its `byte` and the one after that."""
    at = word.index(byte)
    return re.escape(word[at + 2 :]) + (b"(?<=%b)" % re.escape(word) if at else b"")


def _parts(word: bytes) -> Iterator[bytes]:
    """Give all that is within `word`, the short first."""
    for size in range(1, len(word) + 1):
        for at in range(len(word) - size + 1):
            yield word[at : at + size]


def _anchors(words: Iterable[bytes]) -> dict[bytes, int]:
    """Return for each word the byte to look for first: few bytes for all, and rare ones."""
    chosen: dict[bytes, int] = {}
    having: dict[int, set[bytes]] = {}
    for word in words:
        for byte in word:
            having.setdefault(byte, set()).add(word)
    while having:
        best = max(having, key=lambda byte: (len(having[byte]) / frequency(byte), byte))
        taken = having[best]
        chosen.update(dict.fromkeys(sorted(taken), best))
        left = ((byte, of_byte - taken) for byte, of_byte in having.items())
        having = {byte: of_byte for byte, of_byte in left if of_byte}
    return chosen


@cache
def frequency(byte: int) -> float:
    """Return how common a byte is, roughly. None is free: each is a search of its own."""
    at = _COMMON.find(byte)
    return max(0.9**at, _RAREST) if at >= 0 else _RAREST
