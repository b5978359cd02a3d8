"""A line in, the secrets in it out: by the place where they stand, or by the way they look."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from acp_spy.capture.records import Header
from acp_spy.capture.secrets import places
from acp_spy.capture.secrets.glance import Glance, is_disguised
from acp_spy.capture.secrets.key_block import KeyBlock
from acp_spy.capture.secrets.look import Look, Secret, secret_at, without_overlap
from acp_spy.capture.secrets.names import secret_in_word, takes_secret
from acp_spy.capture.secrets.persons import Persons
from acp_spy.capture.secrets.pseudonyms import is_ours, stands_in
from acp_spy.capture.secrets.shape import Shape
from acp_spy.capture.secrets.shapes import SHAPES
from acp_spy.wire.json_text import Leaf, Path, leaves, places_in, starts, unescaped
from acp_spy.wire.pointer import spell, steps

_SCHEME = re.compile(rb"(?:bearer|basic|token)\s+", re.IGNORECASE)
_KEYWORDS = frozenset(word for shape in SHAPES for word in shape.keywords) | places.SIGN_IN_SIGNS
_NUMBER_STARTS = tuple(b"-0123456789"[at : at + 1] for at in range(11))
_is_json = msgspec.json.Decoder(msgspec.Raw).decode

# What is learned and then looked for everywhere: nothing that could be a word or a path. Not every
# variable and header is a secret: of these only what looks random, and is no model's name.
_LEARNABLE = re.compile(rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])[\w.~+=-]{12,512}")
_RANDOM = re.compile(rb"(?<!\w)(?=[A-Za-z_]*+[0-9])(?=[0-9_]*+[A-Za-z])\w{12}")
_MOST_LEARNED = 1000  # each line is searched for each of them
_LEAST_ROOM = 64 * 1024  # for pointers; they take no more than this, or than the line
_TEACHES = {"env": _RANDOM, "header": _RANDOM, "login": _LEARNABLE, "secret": _LEARNABLE}


class Finder:
    """
    Finds secrets in lines; what it has found once by its place it finds anywhere from then on.

    `names`, `values` and `pointers` are what the user knows besides: names whose value is secret,
    regular expressions, and places, in which `*` stands for any one step. `persons` finds whose
    machine it was.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        values: Iterable[re.Pattern[str]] = (),
        pointers: Iterable[str] = (),
        persons: Persons | None = None,
    ) -> None:
        self._names = frozenset(map(str.lower, names))
        self._values = tuple(values)
        self._pointers = tuple(tuple(steps(pointer)) for pointer in pointers)
        self._persons = persons
        # What must be in a line for a name or a pointer to lead to something in it.
        wishes = [(name,) for name in self._names] + [*self._pointers]
        self._wishes = [[*map(_in_any_line, words)] for words in wishes]
        self._learned: dict[bytes, str] = {}
        self._glance = Glance(_KEYWORDS, places.is_telling)
        self._blocks: dict[str, KeyBlock] = {}

    def find(self, raw: bytes, stream: str = "") -> list[Secret]:
        """
        Return the secrets in `raw`, a line of any kind, in order and without overlap.

        With `stream`, the lines of a stream in turn, a private key is found that has several.
        """
        if stream and (span := self._blocks.setdefault(stream, KeyBlock()).body(raw)):
            part = secret_at(raw, *span, "private-key")
            return [] if stands_in(part.text) else [part]
        keywords, known = self._signs(raw)
        if not (keywords or known or self._may_be_wished(raw) or self._glance.sees_name(raw)):
            return []
        look = self._look(_shapes(keywords), known)
        if _is_valid(raw):
            room = max(len(raw), _LEAST_ROOM)
            found = [*self._find_in_json(raw, 0, look, room), *_in_number(raw, look)]
        else:
            pieces = (self._find_in_json(raw, start, look) for start in starts(raw))
            found = without_overlap([*chain.from_iterable(pieces), *look.search(raw)])
        self._learn(found)
        return found

    def find_in_text(self, text: bytes) -> list[Secret]:
        """Return the secrets in `text`, which is that of a string, or of several together."""
        keywords = self._glance.keywords_in(text)
        found = self._look(_shapes(keywords), list(self._learned)).search(text)
        self._learn(found)
        return found

    def learn(self, raw: bytes) -> None:
        """
        Take note of the secrets in `raw` that are known by their place, and of persons.

        What the user knows besides teaches nothing, so that most lines need not be taken apart.
        """
        if self._persons:
            if b"\\" in raw:  # an escape may hide where a name begins
                self.find(raw)
                return
            self._persons.learn(raw)
        if any(self._signs(raw)) or self._glance.sees_name(raw):
            self.find(raw)

    def _may_be_wished(self, raw: bytes) -> bool:
        """Whether there may be something in `raw` that only the user knows of."""
        if self._values:  # only the strings themselves tell whether an expression matches
            return True
        if not self._wishes and not self._persons:
            return False
        if b"\\" in raw or not raw.isascii():  # names may be spelled in other ways
            return True
        lower = raw.lower()
        return any(all(word in lower for word in words) for words in self._wishes) or (
            self._persons is not None and any(self._persons.find(raw))
        )

    def _signs(self, raw: bytes) -> tuple[frozenset[bytes], list[bytes]]:
        """Return the keywords in `raw`, and what of it is known to be secret; all, in doubt."""
        disguised = is_disguised(raw)
        known = [secret for secret in self._learned if disguised or secret in raw]
        return _KEYWORDS if disguised else self._glance.keywords_in(raw), known

    def find_in_header(self, header: Header) -> dict[str, list[tuple[bytes, list[Secret]]]]:
        """Return the fields that may hold secrets: their texts, and the secrets in each."""
        words = [word.encode(errors="surrogatepass") for word in header.command]
        found = {"command": list(zip(words, self._find_in_words(header.command), strict=True))}
        for name in ("cwd", "note"):
            raw = getattr(header, name).encode(errors="surrogatepass")
            found[name] = [(raw, self.find(raw))]
        for name in found.keys() & self._names:
            found[name] = [(raw, _all_of(raw)) for raw, _ in found[name]]
        return found

    def _find_in_words(self, words: Sequence[str]) -> list[list[Secret]]:
        found: list[list[Secret]] = []
        before = ""
        for word in words:
            raw = word.encode(errors="surrogatepass")
            shapes = _shapes(self._glance.keywords_in(raw))
            look = self._look(shapes, list(self._learned))
            hits = [*_in_word(raw, before), *look.search(raw)]
            found.append(without_overlap(hits))
            self._learn(found[-1])
            before = word
        return found

    def _look(self, shapes: Sequence[Shape], known: Sequence[bytes]) -> Look:
        return Look(shapes, known, self._learned, self._values, self._persons)

    def _find_in_json(self, raw: bytes, at: int, look: Look, room: int = 0) -> Iterator[Secret]:
        """
        Give the secrets in the JSON that begins at `at`.

        Their pointers may take so much `room` together, in characters; the rest has none. Many
        secrets that stand deep would else take a thousand times as much as the line.
        """
        sign_ins = _sign_ins(raw, at)
        wished = places.Below(self._names)
        before = ""
        for leaf in leaves(raw, at):
            kind = "value" if wished.has(leaf.path) else self._kind_at(leaf.path, sign_ins)
            if not kind and not leaf.is_string and not leaf.is_name:
                before = ""  # numbers are many, and no more is to be known of them
                continue
            content = raw[leaf.start : leaf.end]
            text = unescaped(content) if leaf.is_string else content
            hits = _in_leaf(leaf, text, kind, before, look)
            before = text.decode(errors="replace") if places.is_word(leaf.path) else ""
            if hits:
                pointer = spell(*leaf.path) if room > 0 else ""
                room -= len(pointer)
                ends = places_in(content, [at for hit in hits for at in (hit.start, hit.end)])
                for hit, start, end in zip(hits, ends[::2], ends[1::2], strict=True):
                    yield msgspec.structs.replace(
                        hit, start=leaf.start + start, end=leaf.start + end, pointer=pointer
                    )

    def _kind_at(self, path: Path, sign_ins: frozenset[int | None]) -> str:
        if not path:
            return ""
        for pointer in self._pointers:
            if places.leads_to(pointer, path):
                return "value"
        return places.kind_at(path, sign_ins)

    def _learn(self, found: Iterable[Secret]) -> None:
        for secret in found:
            if (
                secret.kind in _TEACHES
                and len(self._learned) < _MOST_LEARNED
                and _LEARNABLE.fullmatch(secret.text)
                and _TEACHES[secret.kind].search(secret.text)
            ):
                self._learned.setdefault(secret.text, secret.kind)


def _in_any_line(word: str) -> bytes:
    """Return what is in each line that has a step `word`, in small letters; nothing, if any has."""
    return b"" if word == "*" or word.isdigit() else word.lower().encode(errors="surrogatepass")


def _shapes(keywords: frozenset[bytes]) -> list[Shape]:
    return [shape for shape in SHAPES if not keywords.isdisjoint(shape.keywords)]


def _in_leaf(leaf: Leaf, text: bytes, kind: str, before: str, look: Look) -> list[Secret]:
    if leaf.is_name:
        return look.search(text)
    if not leaf.is_string:
        # `"token": 7` is a count, whereas all is secret that one signs in with.
        may_be = kind not in ("", "secret")
        is_number = may_be and text[:1] in _NUMBER_STARTS and text != b"0"
        return [Secret(0, len(text), kind, text=text, is_number=True)] if is_number else []
    if kind:
        scheme = _SCHEME.match(text)
        start = scheme.end() if scheme else 0
        if not (is_ours if kind == "value" else stands_in)(text[start:]):
            return [secret_at(text, start, len(text), kind)]
    hits: list[Secret] = []
    if places.is_variable(leaf.path):
        hits += _in_variable(text)
    elif places.is_word(leaf.path):
        hits += _in_word(text, before)
    return without_overlap([*hits, *look.search(text)])


def _all_of(text: bytes) -> list[Secret]:
    return [] if is_ours(text) else [secret_at(text, 0, len(text), "value")]


def _in_variable(text: bytes) -> Iterator[Secret]:
    name, _, value = text.partition(b"=")
    if not stands_in(value):
        yield secret_at(text, len(name) + 1, len(text), "env")


def _in_word(raw: bytes, before: str) -> Iterator[Secret]:
    # Latin-1 gives one character for each byte; names are ASCII anyway.
    word = raw.decode("latin-1")
    span = secret_in_word(word)
    if span is None and takes_secret(before) and not word.startswith("-"):
        span = (0, len(raw))
    if span and not stands_in(raw[slice(*span)]):
        yield secret_at(raw, *span, "secret")


def _is_valid(raw: bytes) -> bool:
    try:
        _is_json(raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _sign_ins(raw: bytes, start: int) -> frozenset[int | None]:
    """Return the messages in `raw` whose parameters are what one signs in with."""
    if not is_disguised(raw) and not any(sign in raw for sign in places.SIGN_IN_SIGNS):
        return frozenset()
    return frozenset(
        places.message_of(leaf.path)
        for leaf in leaves(raw, start)
        if leaf.is_string
        and places.is_method(leaf.path)
        and unescaped(raw[leaf.start : leaf.end]).decode(errors="replace") in places.SIGN_IN
    )


def _in_number(raw: bytes, look: Look) -> Iterator[Secret]:
    """Give the number that all of `raw` is, if there is a secret in it: a code, for example."""
    number = raw.strip()
    if number[:1] in _NUMBER_STARTS and look.search(number):
        start = raw.find(number)
        yield Secret(start, start + len(number), "value", text=number, is_number=True)
