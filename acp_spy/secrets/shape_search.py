"""Search a text for what looks like a secret, by all shapes and by the values already known."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b

from acp_spy.secrets.common_shapes import COMMON
from acp_spy.secrets.encoded_text import (
    BASE64_KEYWORDS,
    ENCODED,
    HEX,
    HEX_KEYWORDS,
    Cut,
    decoded,
    hex_decoded,
    joined_text,
    place_before,
    visible_text,
    wide_texts,
)
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.generated_passwords import end_of_generated, end_of_string, without_escape
from acp_spy.secrets.grammars import GRAMMARS
from acp_spy.secrets.json_places import PLACE_HINTS, is_relevant
from acp_spy.secrets.keyword_index import KeywordIndex
from acp_spy.secrets.learned_values import LearnedValues
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.placeholders import PLACEHOLDER, is_placeholder
from acp_spy.secrets.prefilter import Prefilter
from acp_spy.secrets.secret import Secret, secret_at, without_overlap
from acp_spy.secrets.shape import Shape, each, grammar
from acp_spy.secrets.values import Certainty, has_no_words, is_value
from acp_spy.secrets.vendor_shapes import VENDORS


def _in_base64(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give a text in base64 as a whole if there is a secret in it."""
    if _has_secret(decoded(match[0])):
        yield *match.span(), "base64"


def _in_hex(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give a text in hexadecimal digits as a whole if there is a secret in it."""
    if _has_secret(hex_decoded(match[0])):
        yield *match.span(), "hex"


def _has_secret(text: bytes) -> bool:
    return bool(text) and any(
        next(_of_shape(shape, text), None)
        for shape in shapes_in(text, _prefilter().keywords_in(text))
        if shape not in (_BASE64, _HEX)
    )


@cache
def _prefilter() -> Prefilter:
    return Prefilter(KEYWORDS, is_relevant)


_BASE64 = grammar(
    "base64",
    BASE64_KEYWORDS,
    ENCODED,
    each(_in_base64),
    "REJfUEFTU1dPUkQ9" + "cTdaazJWdzlY" * 2,  # DB_PASSWORD=…
    "REJfUEFTU1dPUkQ9" + "JHtYfQ==",  # DB_PASSWORD=${X}
)
_HEX = grammar(
    "hex",
    HEX_KEYWORDS,
    HEX,
    each(_in_hex),
    b"DB_PASSWORD=q7Zk2Vw9Xn4R".hex(),
    b"DB_PASSWORD=${X}".hex(),
)
SHAPES = (*VENDORS, *COMMON, *GRAMMARS, _BASE64, _HEX)
# One is in each line in which something is found by its look, or by what is beside it.
KEYWORDS = frozenset(word for shape in SHAPES for word in shape.keywords) | PLACE_HINTS
_LEAST_BESIDE = 12  # characters beside a placeholder: `Bearer token=redacted-assignment-1` has less
# What an earlier run has left of the next pair, where a text was cut off in its name.
_REST_OF_PAIR = expression(
    rb"%b[A-Za-z]{0,40}=(?:[A-Za-z]{1,12}|[0-9]{1,6});?" % PLACEHOLDER.pattern
)
_NUMBERS: dict[bytes, list[int]] = {}  # of the shapes that have a keyword
for _number, _shape in enumerate(SHAPES):
    for _word in _shape.keywords:
        _NUMBERS.setdefault(_word, []).append(_number)
_NUMBER_OF = {id(shape): number for number, shape in enumerate(SHAPES)}
_QUOTE = expression(rb"[\"'`]")
_PRINTED = expression(rb"\x1b|\xe2\x86\x92")  # a color, and the arrow after a line's number
_NUMBER = expression(rb"[ \t]{0,8}[0-9]{1,6}\xe2\x86\x92")
_WORD_WITH_QUOTE = expression(rb"[^\s\"'`]*+[\"'`]\S*+")  # no private key, which has lines
# To search a text for a shape takes as long as to look for the keywords in some fifty bytes.
_MANY_SHAPES = 16
_SHORT_TEXT = 1024
_MOST_KEPT = 100_000  # texts, and secrets in them, of a capture that is read twice
_DIGEST = 64  # bytes: a shorter text is known by itself


@cache
def _keyword_index() -> KeywordIndex:
    return KeywordIndex(_NUMBERS)


def shapes_in(raw: bytes, keywords: Iterable[bytes]) -> list[Shape]:
    """Return the shapes that may be in the strings of a line that has these keywords."""
    numbers = {number for word in keywords for number in _NUMBERS.get(word, ())}
    shapes = (SHAPES[number] for number in sorted(numbers))
    return [shape for shape in shapes if shape.may_be_in is None or shape.may_be_in(raw)]


class FoundByLook:
    """
    What was found by its look in each text: a capture is read twice, and looks the same again.

    What is found first is kept, so that it is still there when the capture is read from the start.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], dict[bytes, list[Secret]]] = {}
        self._room = _MOST_KEPT

    def by(self, shapes: Sequence[Shape]) -> dict[bytes, list[Secret]]:
        """Return what was found by just these shapes."""
        key = tuple(map(id, shapes))
        if key not in self._found and self._room > 0:
            self._room -= len(shapes)
            self._found[key] = {}
        return self._found.get(key, {})

    def keep(self, found_by: dict[bytes, list[Secret]], key: bytes, found: list[Secret]) -> None:
        """Add to what was found, if there is still room."""
        self._room -= len(found) + 1
        if self._room > 0:
            found_by[key] = found


class ShapeSearch:
    """The shapes that a line may hold, searched in one piece of text after another."""

    def __init__(
        self,
        shapes: Sequence[Shape],
        learned: LearnedValues | None,
        values: Sequence[re.Pattern[str]],
        persons: Persons | None,
        before: FoundByLook | None = None,
        matched: set[re.Pattern[str]] | None = None,
    ) -> None:
        self._shapes = shapes
        self._has_many = len(shapes) >= _MANY_SHAPES
        self._before = before if shapes else None
        self._found_before = self._before.by(shapes) if self._before else {}
        self._by_number: dict[int, Shape] | None = None
        self._has_keys = any(shape.is_key for shape in shapes)
        self._learned = learned
        self.has_learned = learned is not None
        self._values = values
        self._matched = set() if matched is None else matched  # of the values, to be added to
        self._persons = persons

    def without_learned(self) -> "ShapeSearch":
        """Return a search for the same, but for copies of what is known."""
        return ShapeSearch(
            self._shapes, None, self._values, self._persons, self._before, self._matched
        )

    def find_in(self, text: bytes) -> list[Secret]:
        """Return what in `text` looks like a secret, in order and without overlap."""
        found = self._find_by_look(text) if self._before is None else self._found_by_look(text)
        if self._learned:
            found += self._learned.find(text)
        for at, ascii_text in wide_texts(text):
            found += [
                secret_at(text, at + 2 * secret.start, at + 2 * secret.end, secret.kind)
                for secret in self.find_in(ascii_text)
            ]
        for value in self._values:
            if of_value := list(_user_value(value, text)):
                self._matched.add(value)
                found += of_value
        if self._persons:
            for start, end, replacement in self._persons.find(text):
                found.append(
                    Secret(start, end, "person", text=text[start:end], replacement=replacement)
                )
        return without_overlap(found)

    def in_objects(self, raw: bytes) -> dict[int, str]:
        """Return the kinds of what several names of an object show, by their places in JSON."""
        shapes = [shape for shape in self._shapes if shape.of_object]
        if not shapes:
            return {}
        key = b"in objects" + blake2b(raw, digest_size=_DIGEST).digest()  # no text has it
        found = None if self._before is None else self._found_before.get(key)
        if found is None:
            found = [each for shape in shapes for each in _of_shape(shape, raw)]
            if self._before is not None:
                self._before.keep(self._found_before, key, found)
        return {each.start: each.kind for each in found}

    def _found_by_look(self, text: bytes) -> list[Secret]:
        """Return what is found in `text` by its look, now or when it was read before."""
        assert self._before is not None
        key = text if len(text) < _DIGEST else blake2b(text, digest_size=_DIGEST).digest()
        found = self._found_before.get(key)
        if found is None:
            found = self._find_by_look(text)
            self._before.keep(self._found_before, key, found)
        return found.copy()

    def _find_by_look(self, text: bytes) -> list[Secret]:
        shapes = self._shapes_for(text) if self._has_many else self._shapes
        found = [secret for shape in shapes for secret in _of_shape(shape, text)]
        found = [secret for secret in found if not _has_print(secret, text)]
        if self._has_keys:
            joined, cuts = joined_text(text)
            if cuts:
                keys = (shape for shape in self._shapes_for(joined) if shape.is_key)
                in_joined = (secret for shape in keys for secret in _of_shape(shape, joined))
                found += _around(text, in_joined, cuts)
        return found

    def _shapes_for(self, text: bytes) -> Sequence[Shape]:
        """Return the shapes that may be in `text`: of many, a short text has few."""
        if not self._has_many or len(text) > _SHORT_TEXT:
            return self._shapes
        if self._by_number is None:
            self._by_number = {_NUMBER_OF[id(shape)]: shape for shape in self._shapes}
        numbers = self._by_number.keys() & _keyword_index().numbers_in(text)
        return [self._by_number[number] for number in sorted(numbers)]


def _around(text: bytes, found: Iterable[Secret], cuts: list[Cut]) -> Iterator[Secret]:
    """Give those secrets of a text with cuts that go over a cut: all others are found anyway."""
    for secret in found:
        start = place_before(cuts, secret.start, is_end=False)
        end = place_before(cuts, secret.end, is_end=True)
        if end - start > secret.end - secret.start:
            yield secret_at(text, start, end, secret.kind)


def _of_shape(shape: Shape, text: bytes) -> Iterator[Secret]:
    regex = shape.regex
    group: str | int = "secret" if "secret" in regex.groupindex else min(regex.groups, 1)
    if shape.read:
        for start, read_to, kind in shape.read(text, regex.finditer(text)):
            if not _is_masked(text[start:read_to]):
                end = without_escape(text, start, end_of_generated(text, start, read_to))
                # Without the backslashes after it, it may be code: `string;\\n`.
                if end >= read_to or is_value(text[start:end], Certainty.PASSWORD):
                    is_named = _is_string(text, start, end)
                    yield secret_at(text, start, end, kind, is_named=is_named)
        return
    for match in regex.finditer(text):
        start, end = match.span(group)
        secret = text[start:end]
        if (
            not _is_masked(secret)
            and (_is_mixed(_beside_placeholders(secret)) or not shape.mixed)
            and (shape.accepts is None or shape.accepts(text, match))
        ):
            if not shape.is_key:
                end = without_escape(text, start, end_of_generated(text, start, end))
                if _WORD_WITH_QUOTE.fullmatch(text, start, end) and not _QUOTE.match(
                    text, start - 1
                ):
                    end = without_escape(text, start, end_of_string(text, start, end))
            yield secret_at(text, start, end, shape.kind)


def _is_string(text: bytes, start: int, end: int) -> bool:
    """Whether quotes say where it begins and ends, and no program has such a word by chance."""
    quote = text[start - 1 : start]
    is_quoted = quote in (b'"', b"'") and text[end : end + 1] == quote
    return is_quoted and has_no_words(text[start:end])


def _has_print(secret: Secret, text: bytes) -> bool:
    """Whether a color, or the number of its line, is in it: the text is searched without these."""
    if b"\n" in secret.text or not _PRINTED.search(secret.text):
        return False
    line_start = text.rfind(b"\n", 0, secret.start) + 1
    number = _NUMBER.match(text, line_start)
    return bool(visible_text(secret.text)[1]) or (
        number is not None and number.end() > secret.start
    )


def _is_masked(secret: bytes) -> bool:
    """Whether it is a placeholder, or one with too little around it to be more than its name."""
    if is_placeholder(secret):
        return True
    left = _beside_placeholders(secret)
    if left == secret:
        return False
    letters = left.translate(None, b" \t\r\n")  # the ends of the lines of a key are left
    return len(letters) < _LEAST_BESIDE or _REST_OF_PAIR.fullmatch(secret) is not None


def _beside_placeholders(secret: bytes) -> bytes:
    return PLACEHOLDER.sub(b"", secret) if b"redacted-" in secret else secret


def _user_value(value: re.Pattern[str], text: bytes) -> Iterator[Secret]:
    decoded = text.decode(errors="surrogateescape")
    group = 1 if value.groups else 0
    spans = [match.span(group) for match in value.finditer(decoded) if match[group]]
    places = _in_bytes(decoded, {at for span in spans for at in span})
    masked = [found.span() for found in PLACEHOLDER.finditer(text)] if spans else []
    for start, end in ((places[start], places[end]) for start, end in spans):
        before = bisect_right(masked, (start, len(text)))
        if not before or masked[before - 1][1] < end:  # else it is a part of a placeholder
            yield secret_at(text, start, end, "value")


def _in_bytes(decoded: str, places: Iterable[int]) -> dict[int, int]:
    """Return for each of these places in a text where it is in the bytes."""
    found: dict[int, int] = {}
    before = at = 0
    for place in sorted(places):  # a group may be before that of an earlier match
        at += len(decoded[before:place].encode(errors="surrogateescape"))
        found[place] = at
        before = place
    return found


def _is_mixed(secret: bytes) -> bool:
    return secret.lower() != secret.upper() and any(byte in b"0123456789" for byte in secret)
