"""A line in, the secrets in it out: by their place, or by the way they look."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain

import msgspec

from acp_spy.capture.records import Header
from acp_spy.secrets import json_places as places
from acp_spy.secrets.command_lines import in_words
from acp_spy.secrets.encoded_text import (
    decoded,
    hex_decoded,
    with_joined,
    with_visible,
    with_zeros_apart,
)
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.home_folders import stands_in
from acp_spy.secrets.json_grids import grids_in, in_grid
from acp_spy.secrets.learned_values import LearnedValues
from acp_spy.secrets.listed_words import ListedWords
from acp_spy.secrets.named_values import all_of, in_lines, in_server_url, in_word
from acp_spy.secrets.option_matches import OptionMatches
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.placeholders import ANY_PLACEHOLDER, is_our_placeholder, is_placeholder
from acp_spy.secrets.plain_views import View, views, without_marked
from acp_spy.secrets.prefilter import Prefilter, has_escaped_ascii, readable, without_data
from acp_spy.secrets.private_key_block import PrivateKeyBlock
from acp_spy.secrets.secret import (
    OF_USER,
    Secret,
    in_original,
    secret_at,
    with_replacements,
    without_overlap,
)
from acp_spy.secrets.secret_names import UNDECIDED, Strength, is_secret_name, strength_of
from acp_spy.secrets.shape import Shape
from acp_spy.secrets.shape_search import KEYWORDS, FoundByLook, ShapeSearch, shapes_in
from acp_spy.secrets.similar_lines import SimilarLines, text_in
from acp_spy.secrets.terminal_outputs import may_have_output, with_outputs
from acp_spy.secrets.values import Certainty, has_no_words, is_value, looks_random
from acp_spy.wire.json_text import (
    Leaf,
    Path,
    is_json,
    json_within,
    leaves,
    places_in,
    starts,
    unescaped,
)
from acp_spy.wire.pointer import spell, steps

_NUMBER_STARTS = tuple(b"-0123456789"[at : at + 1] for at in range(11))
MOST_NESTED = 3  # JSON in a string of JSON in a string: deeper than any real traffic
_LEAST_ROOM = 64 * 1024  # for pointers; they take no more than this, or than the line
_LONGEST_SIMILAR = 4000  # bytes of a line: a longer one is not searched as a whole
# Agents stream words, which come again and again.
_LONGEST_CLEAN = 64  # bytes of a text that is not searched twice
_MOST_CLEAN = 10_000
_FARTHEST_COMMA = 40  # bytes
# Such a text is searched for signs once, although each is read up to four times.
_HUGE = 64 * 1024
_MOST_HUGE = 1000
# An id in a header may be long, and is beside each message.
_LEAST_KEPT, _LONGEST_KEPT = 256, 256 * 1024
_MOST_KEPT = 16
_PROTOCOLS = "sec-websocket-protocol"
_PROTOCOL = expression(rb"[\w~+/=-]{12,8192}")
_WORDS_AT_ONCE = 64  # of a command line: nearly all hold nothing
# Masked as a whole because of their place or their spelling: a URL, headers or a command, with a
# secret within.
_ENCODED = {"base64": decoded, "hex": hex_decoded}
_WHOLE = frozenset(("env", "header", "login", "secret", "value", *_ENCODED))
_LEAST_WITHIN = 12  # bytes: `password=x` has no more, and is searched for as it is
_MOST_WITHIN = 10_000

_Signs = tuple[frozenset[bytes], list[Shape]]


class _Kind(msgspec.Struct):
    """What is known of lines that differ in their text only."""

    leaf: Leaf | None = None  # the text, if nothing else in such a line can be a secret
    learned: int = -1  # how much was known when that was found out


class Finder:
    """
    Finds secrets in lines; what it has found once by its place it finds anywhere from then on.

    `names`, `values` and `pointers` are options of the user: names whose value is secret, regular
    expressions, and places, in which `*` is any one step. `persons` finds home folders and user
    names. What one of `allowed` matches as a whole is not a secret.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        values: Iterable[re.Pattern[str]] = (),
        pointers: Iterable[str] = (),
        persons: Persons | None = None,
        allowed: Iterable[re.Pattern[str]] = (),
    ) -> None:
        self._names = frozenset(map(str.lower, names))
        self._values = tuple(values)
        self._pointers: list[list[str]] = []
        self._persons = persons
        self._allowed = tuple(allowed)
        self.matches = OptionMatches()  # may be exchanged for one that others add to
        # What must be in a line for a name or a pointer to lead to something in it.
        self._user_words = [[_in_any_line(name)] for name in self._names]
        self._learned = LearnedValues()
        self._prefilter = Prefilter(KEYWORDS, places.is_relevant)
        self._blocks = defaultdict[str, PrivateKeyBlock](PrivateKeyBlock)
        self._by_look: FoundByLook | None = None
        self._in_huge: dict[bytes, _Signs] = {}  # by the digest of the text
        self._has_options = bool(self._user_words or self._values or self._persons)
        self._similar = SimilarLines[_Kind]()
        # What is in texts beside lines, and how much was known before that was found out.
        self._beside: dict[tuple[str, bytes], tuple[tuple[int, int], list[Secret]]] = {}
        self._clean: dict[bytes, int] = {}  # texts without a secret, and how much was known then
        self._within: set[bytes] = set()  # masked texts in which secrets were looked for
        for pointer in pointers:
            self.add_pointer(pointer)

    def add_pointer(self, pointer: str) -> None:
        """Find all that is at this place of a message, and below."""
        self._pointers.append(steps(pointer))
        self._user_words.append([*map(_in_any_line, self._pointers[-1])])
        self._has_options = True

    def find(self, raw: bytes, stream: str = "") -> list[Secret]:
        """
        Return the secrets in `raw`, a line of any kind, in order and without overlap.

        With `stream`, the lines of a stream in turn, a private key is found that has several.
        """
        if stream and (span := self._blocks[stream].body(raw)):
            part = secret_at(raw, *span, "private-key")
            return [] if is_placeholder(part.text) else [part]
        known = self._learned.count
        found = self._twice_for_new_persons(self._find_in_line, raw)
        if self._by_look is None and self._learned.count != known:
            # Each line is read once. What was learned from this one may be elsewhere in it.
            return self._twice_for_new_persons(self._find_in_line, raw)
        return found

    def keep_what_is_found(self) -> None:
        """Keep what is found in texts: they will be searched again, as all is read twice."""
        if self._by_look is None:
            self._by_look = FoundByLook()

    def _find_in_line(self, raw: bytes) -> list[Secret]:
        found = self._find_as_it_is(raw)
        if b'"terminal_' in raw and may_have_output(raw):
            return with_outputs(raw, found, self.find_in_text)
        return found

    def _find_as_it_is(self, raw: bytes) -> list[Secret]:
        only = self._only_text(raw)
        if only is None:
            search = self._search_of(raw)
            return self._find_with(search, raw) if search else []
        leaf, start, end = only
        part = raw[start - 1 : end + 1]
        if self._clean.get(part) == self._learned.count:
            return []
        search = self._search_of(part)
        text = msgspec.structs.replace(leaf, start=start, end=end)
        found = self._find_with(search, raw, text) if search else []
        if not found and len(part) <= _LONGEST_CLEAN:
            if len(self._clean) >= _MOST_CLEAN:
                self._clean.clear()
            self._clean[part] = self._learned.count
        return found

    def _find_with(self, search: ShapeSearch, raw: bytes, text: Leaf | None = None) -> list[Secret]:
        if is_json(raw):
            room = max(len(raw), _LEAST_ROOM)
            found = [*self._find_in_json(raw, 0, search, room, only=text), *_in_number(raw, search)]
        else:
            pieces = (self._find_in_json(raw, start, search) for start in starts(raw))
            found = [*chain.from_iterable(pieces), *self._in_text(raw, search, MOST_NESTED)]
            found = without_overlap(found)
        return self._accepted(found)

    def _only_text(self, raw: bytes) -> tuple[Leaf, int, int] | None:
        """
        Return the text of a line that is like one before, if only the text can be a secret.

        The leaf is as it was in that line; the two numbers are where the text is in this one.
        """
        if self._has_options or len(raw) > _LONGEST_SIMILAR:
            return None
        like = self._similar.like(raw)
        if like is None:
            if span := text_in(raw):
                self._similar.add(raw, *span, _Kind())
            return None
        kind, start, end = like
        if kind.learned != self._learned.count:
            kind.learned = self._learned.count
            kind.leaf = self._text_if_nothing_else_is_secret(raw[:start], raw[end:])
        return (kind.leaf, start, end) if kind.leaf else None

    def _text_if_nothing_else_is_secret(self, before: bytes, after: bytes) -> Leaf | None:
        """Return the leaf between `before` and `after`, if nothing else can be secret."""
        line = before + after
        if b"\\" in line or _plain(line) is not line or self._search_of(line) or not is_json(line):
            return None
        text = None
        for leaf in leaves(line, 0, self._kind_below):
            if not leaf.is_name and leaf.start == len(before):
                text = msgspec.structs.replace(leaf, path=[*leaf.path])
        return text

    def learn(self, raw: bytes) -> list[Secret]:
        """
        Take note of the secrets in `raw` that are known by their place, and of persons.

        What the options of the user match is not learned here: so most lines need not be parsed.
        """
        if self._persons:
            if b"\\" in raw:  # an escape may hide where a name begins
                return self.find(raw)
            self._persons.learn(raw)
        plain = _plain(raw)
        if (
            self._learned.may_be_in(plain)
            or self._keywords_in(without_data(plain))
            or self._prefilter.has_relevant_name(plain)
            or may_have_output(raw)
        ):
            return self.find(raw)
        return []

    def find_in_text(self, text: bytes) -> list[Secret]:
        """Return the secrets in `text`, which is that of a string, or of several together."""
        return self._twice_for_new_persons(self._find_in_string, text)

    def _find_in_string(self, text: bytes) -> list[Secret]:
        return self._accepted(self._in_string(text))

    def find_in_joined(self, text: bytes) -> list[Secret]:
        """Return the secrets in texts that may be none together; none of them is learned."""
        found = self._without_allowed(self._twice_for_new_persons(self._in_string, text))
        if not found:
            return found
        masked = with_replacements(text, found, [ANY_PLACEHOLDER] * len(found))
        hidden = self._without_allowed(self._in_string(masked))
        return without_overlap([*found, *in_original(text, found, hidden, len(ANY_PLACEHOLDER))])

    @property
    def learned_count(self) -> int:
        """How much is searched for everywhere: more whenever something was learned."""
        return self._learned.count

    def learn_found(self, found: Iterable[Secret]) -> None:
        """Search for `found` everywhere from now on, and for what is secret within it."""
        found = list(found)
        self._learned.learn(found)
        for secret in found:
            if (
                secret.kind in _WHOLE
                and len(secret.text) >= _LEAST_WITHIN
                and secret.text not in self._within
                and len(self._within) < _MOST_WITHIN
            ):
                self._within.add(secret.text)
                self._learn_within(secret)

    def _learn_within(self, secret: Secret) -> None:
        """
        Learn the password in `postgres://app:x@db/shop`: elsewhere it may be by itself.

        And that all of it is a vendor's key, of which a shorter part says enough.
        """
        text = _ENCODED[secret.kind](secret.text) if secret.kind in _ENCODED else secret.text
        if search := self._search_of(text):
            found = without_overlap(self._in_text(text, search.without_learned(), 0))
            found = self._without_allowed(found)
            self.learn_found(found)
            self._learned.learn_look(each for each in found if each.text == secret.text)

    def _in_string(self, text: bytes) -> list[Secret]:
        search = self._search_of(text)
        if search is None:
            return []
        return without_overlap(self._in_text(text, search, 0))

    def find_named(self, name: str, text: bytes) -> list[Secret]:
        """Return the secrets in a text; all of it, if it has the name of a secret."""
        if name and is_secret_name(name):
            return self._accepted(all_of(text, "header", is_named=True))
        found = self._once(self.find_in_text, text)
        if found and places.is_id_beside(name):
            return self._in_id(text, found)
        if found or name.lower() != _PROTOCOLS:
            return found
        # A browser can send no other header with a WebSocket: `bearer.TOKEN`, `bearer, TOKEN`.
        words = (each.span() for each in _PROTOCOL.finditer(text) if looks_random(each[0]))
        return self._accepted([secret_at(text, *span, "header", is_named=True) for span in words])

    def find_beside(self, text: bytes) -> list[Secret]:
        """Return the secrets in a text beside a line: an id that all lines have, perhaps."""
        return self._once(self.find, text)

    def known_in(self, text: bytes) -> Iterator[Secret]:
        """Give what is known already, and learn nothing."""
        return self._learned.find(text)

    def _once(self, find: Callable[[bytes], list[Secret]], text: bytes) -> list[Secret]:
        """Return what `find` finds; a long text is searched again only if more is known by now."""
        if not _LEAST_KEPT <= len(text) <= _LONGEST_KEPT:
            return find(text)
        known = self._learned.count, self._persons.count if self._persons else 0
        key = find.__name__, text
        if key not in self._beside or self._beside[key][0] != known:
            if len(self._beside) >= _MOST_KEPT:
                self._beside.clear()
            self._beside[key] = known, find(text)
        return self._beside[key][1]

    def find_in_header(self, header: Header) -> dict[str, list[tuple[bytes, list[Secret]]]]:
        """Return the fields that may hold secrets: their texts, and the secrets in each."""
        words = [word.encode(errors="surrogatepass") for word in header.command]
        found = {"command": list(zip(words, self._find_in_words(header.command), strict=True))}
        for name in ("cwd", "note"):
            raw = getattr(header, name).encode(errors="surrogatepass")
            found[name] = [(raw, self.find(raw))]
        for name in found.keys() & self._names:
            self.matches.names.add(name)
            found[name] = [(raw, all_of(raw)) for raw, _ in found[name]]
        return {
            name: [
                (raw, [_in_field(each, name, at) for each in secrets])
                for at, (raw, secrets) in enumerate(texts)
            ]
            for name, texts in found.items()
        }

    def _find_in_words(self, words: Sequence[str]) -> list[list[Secret]]:
        found: list[list[Secret]] = []
        raws = [word.encode(errors="surrogatepass") for word in words]
        before: list[bytes] = []
        last = ""
        none_when = -1  # how much was known when nothing was seen in this word and some after it
        for at, raw in enumerate(raws):
            if at % _WORDS_AT_ONCE == 0:
                together = self._search_of(b"\n".join(raws[at : at + _WORDS_AT_ONCE]))
                none_when = -1 if together else self._learned.count
            search = None if none_when == self._learned.count else self._search_of(raw)
            hits = [
                *in_word(raw, last),
                *(secret_at(raw, *span, "command-line") for span in in_words(before, raw)),
                *(self._in_text(raw, search, MOST_NESTED) if search else ()),
            ]
            found.append(self._accepted(without_overlap(hits)) if hits else hits)
            before.append(raw)
            last = raw.decode(errors="replace")
        return found

    def _twice_for_new_persons(
        self, find: Callable[[bytes], list[Secret]], text: bytes
    ) -> list[Secret]:
        """Return what `find` finds: a name may come before the path that shows it to be one."""
        if self._persons is None:
            return find(text)
        if b"\\" not in text:  # an escape may hide where a name begins, or ends
            self._persons.learn(text)
        known = self._persons.count
        found = find(text)
        return found if self._persons.count == known else find(text)

    def _accepted(self, found: list[Secret]) -> list[Secret]:
        """Return `found` without what is allowed, and learn from it."""
        accepted = self._without_allowed(found)
        self.learn_found(accepted)
        return accepted

    def _without_allowed(self, found: list[Secret]) -> list[Secret]:
        """Return `found` without what is allowed, and without what an earlier run has masked."""
        found = [secret for secret in found if not is_our_placeholder(secret.text)]
        if self._values:
            self._note_values(found)
        if not self._allowed:
            return found
        return [secret for secret in found if not self._is_allowed(secret.text)]

    def _note_values(self, found: Sequence[Secret]) -> None:
        """Note which values match in what is masked as a whole, and not searched for them."""
        unmatched = [each for each in self._values if each not in self.matches.values]
        for secret in found if unmatched else ():
            text = secret.text.decode(errors="surrogateescape")
            self.matches.values.update(each for each in unmatched if each.search(text))

    def _is_allowed(self, text: bytes) -> bool:
        decoded = text.decode(errors="surrogateescape")
        is_allowed = any(pattern.fullmatch(decoded) for pattern in self._allowed)
        if is_allowed:
            self.matches.allowed.add(text)
        return is_allowed

    def _search_of(self, raw: bytes) -> ShapeSearch | None:
        """Return the search that `raw` needs; `None` if the prefilter sees no sign of a secret."""
        if raw.isdigit() and not self._values and not self._persons:
            return None  # a step to a place in a list: there are many
        plain = _plain(raw)
        is_known = self._learned.may_be_in(plain)
        plain = without_data(plain)
        keywords, shapes = self._signs_in(plain)
        if not (
            shapes
            or is_known
            or not keywords.isdisjoint(places.PLACE_HINTS)
            or self._may_match_options(raw)
            or self._prefilter.has_relevant_name(plain)
        ):
            return None
        learned = self._learned if is_known else None
        return ShapeSearch(
            shapes, learned, self._values, self._persons, self._by_look, self.matches.values
        )

    def _keywords_in(self, plain: bytes) -> frozenset[bytes]:
        if len(plain) < _HUGE:
            return self._prefilter.keywords_in(plain)
        return self._signs_in(plain)[0]

    def _signs_in(self, plain: bytes) -> _Signs:
        """Return the keywords in a text, and the shapes that may be in it."""
        digest = blake2b(plain).digest() if len(plain) >= _HUGE else b""
        if digest in self._in_huge:
            return self._in_huge[digest]
        keywords = self._prefilter.keywords_in(plain)
        signs = keywords, shapes_in(with_joined(plain), keywords) if keywords else []
        if digest:
            if len(self._in_huge) >= _MOST_HUGE:
                self._in_huge.clear()
            self._in_huge[digest] = signs
        return signs

    def _may_match_options(self, raw: bytes) -> bool:
        """Whether an option of the user may match something in `raw`."""
        if self._values:  # only the decoded strings show whether an expression matches
            return True
        if not self._user_words and not self._persons:
            return False
        if b"\\" in raw or b"\x1b" in raw or not raw.isascii():  # spelled in other ways, or colored
            return True
        lower = raw.lower()
        return any(all(word in lower for word in words) for words in self._user_words) or (
            self._persons is not None and any(self._persons.find(raw))
        )

    def _find_in_json(
        self,
        raw: bytes,
        at: int,
        search: ShapeSearch,
        room: int = 0,
        depth: int = 0,
        only: Leaf | None = None,
    ) -> Iterator[Secret]:
        """
        Give the secrets in the JSON that begins at `at`.

        Their pointers may take so much `room` together, in characters; the rest has none. Many
        deeply nested secrets would else take a thousand times as much as the line. `depth` says
        in how many strings this JSON is. `only` is the one leaf that can be a secret, if that is
        known.
        """
        known = places.read_context(raw, at, has_escapes=has_escaped_ascii(raw))
        grids = {} if only else grids_in(raw, at)
        in_objects = {} if only or depth else search.in_objects(raw)
        words = ListedWords(raw)
        for leaf in [only] if only else leaves(raw, at, self._kind_below):
            kind = "" if leaf.is_name else self._kind_of(leaf, known)
            if not kind and not leaf.is_string and not leaf.is_name:
                words.last = ""  # numbers are many, and no more is to be known of them
                continue
            if kind == "secret" and _is_next_in_list(raw, leaf):
                kind = ""
            content = raw[leaf.start : leaf.end]
            text = unescaped(content) if leaf.is_string else content
            is_named = bool(kind) and places.is_named(leaf, known.settings)
            hits = self._in_leaf(leaf, text, kind, words.last, search, depth, is_named=is_named)
            hits = words.read(leaf, text, hits)
            if grids and not hits:
                hits = in_grid(grids, leaf, text)
            if in_objects and not hits and leaf.is_string and leaf.start in in_objects:
                hits = [secret_at(text, 0, len(text), in_objects[leaf.start])]
            if hits:
                pointer = spell(*leaf.path) if room > 0 else ""
                room -= len(pointer)
                ends = [at for hit in hits for at in (hit.start, hit.end)]
                if leaf.is_string:
                    ends = places_in(content, ends)
                for hit, start, end in zip(hits, ends[::2], ends[1::2], strict=True):
                    if hit.kind == "person" and stands_in(content, start):
                        continue  # what is after it seems to go on only without escapes
                    yield msgspec.structs.replace(
                        hit, start=leaf.start + start, end=leaf.start + end, pointer=pointer
                    )

    def _in_leaf(
        self,
        leaf: Leaf,
        text: bytes,
        kind: str,
        before: str,
        search: ShapeSearch,
        depth: int,
        *,
        is_named: bool,
    ) -> list[Secret]:
        if leaf.is_name:
            return without_overlap(self._in_text(text, search, depth))
        if not leaf.is_string:
            # `"token": 7` is a count, whereas all is secret that one signs in with.
            may_be = kind not in ("", "secret") or (
                bool(kind)
                and len(text) > 3
                and strength_of(str(leaf.path[-1])) is Strength.PASSWORD
            )
            is_number = may_be and text[:1] in _NUMBER_STARTS and text != b"0"
            return [Secret(0, len(text), kind, text=text, is_number=True)] if is_number else []
        if not kind and leaf.path and leaf.path[-1] in UNDECIDED:
            kind = "secret" if is_value(text, Certainty.SETTING) else ""
        if not kind and places.is_decided_by_value(leaf.path, text):
            kind = "secret"
        if search.has_learned and places.is_method(leaf.path) and not has_no_words(text):
            search = search.without_learned()  # a program may show it as a password, too
        # In a file that was read `"password": "Password"` may be a label.
        is_label = depth and kind == "secret" and not is_value(text, Certainty.PASSWORD)
        if kind and not is_label:
            hits = all_of(text, kind, is_named=is_named)
            if hits:
                return hits
        found = without_overlap(
            [
                *in_lines(text, places.line_kind(leaf.path, leaf.below)),
                *(in_word(text, before) if places.is_word(leaf.path) else ()),
                *(in_server_url(text) if places.is_server_url(leaf.path) else ()),
                *self._in_text(text, search, depth),
            ]
        )
        return self._in_id(text, found) if found and places.is_id(leaf.path) else found

    def _in_id(self, text: bytes, hits: list[Secret]) -> list[Secret]:
        """
        Return what is secret in an id of the protocol.

        A program may get it in a variable, and all of those are masked. Were it replaced from then
        on, nobody could replay the capture: each message would be about something else.
        """
        search = self._search_of(text)
        if search is None or b" " in text or all(map(self._learned.is_sure, hits)):
            return hits  # several words are no id
        sure: list[Secret] = []
        for each in hits:
            if self._learned.is_sure(each):
                sure.append(each)
            else:
                sure += self._learned.sure_in(each)
                self._learned.learn_id(each.text)
        by_look = self._in_text(text, search.without_learned(), MOST_NESTED)
        return without_overlap([*sure, *by_look])

    def _in_text(self, text: bytes, search: ShapeSearch, depth: int) -> list[Secret]:
        """Return the secrets in what a string says, and in what it was before it was printed."""
        found = self._in_view(text, search, depth)
        if depth < MOST_NESTED and text[:1] in (b"{", b"[", b'"') and is_json(text):
            return found  # its strings were read one by one, each with its views
        found = without_marked(text, found)
        for view in views(text):
            in_view = self._in_view(view.text, search, depth if view.may_be_json else MOST_NESTED)
            found = _without_prefixes(text, found, view, in_view)
            found += (
                secret
                for secret in map(view.in_whole, in_view)
                # What is after it may seem to go on in a view: `/home/dev`, in color, and `main`.
                if secret.kind != "person" or not stands_in(text, secret.start)
            )
        return found

    def _in_view(self, text: bytes, search: ShapeSearch, depth: int) -> list[Secret]:
        """Return the secrets in a text, which may be JSON again."""
        found = search.find_in(text)
        if depth < MOST_NESTED:
            in_strings = [
                msgspec.structs.replace(secret, start=start + secret.start, end=start + secret.end)
                for start, end in json_within(text)
                for secret in self._find_in_json(text[start:end], 0, search, depth=depth + 1)
            ]
            found = [*in_strings, *_without_escapes(found, text)]
        return found

    def _kind_of(self, leaf: Leaf, known: places.MessageContext) -> str:
        path = leaf.path
        if not path:
            return ""
        if (self._has_options and self._is_chosen(path)) or leaf.below == "value":
            return "value"
        kind = places.kind_at(path, leaf.below, signs_in=known.signs_in(leaf.start))
        if not kind and (
            (leaf.inside in known.settings and places.is_value(path))
            or leaf.inside in known.concealed
        ):
            return "secret"
        if not kind and leaf.inside in known.inputs and places.is_typed(path):
            return "secret"
        if not kind and leaf.above in known.manifests and places.is_in_manifest(path):
            return "kubernetes-secret"
        return kind

    def _kind_below(self, path: Path, above: str) -> str:
        if (path and self._is_user_name(path[-1])) or above == "value":
            return "value"
        return places.kind_below(path, above)

    def _is_chosen(self, path: Path) -> bool:
        """Whether an option of the user leads to `path`; note all that do."""
        is_named = self._is_user_name(path[-1])
        pointers = [each for each in self._pointers if places.leads_to(each, path)]
        self.matches.pointers.update(map(tuple, pointers))
        return is_named or bool(pointers)

    def _is_user_name(self, step: str | int) -> bool:
        if not self._names or not isinstance(step, str) or step.lower() not in self._names:
            return False
        self.matches.names.add(step.lower())
        return True


def _without_prefixes(
    text: bytes, found: list[Secret], view: View, in_view: Sequence[Secret]
) -> list[Secret]:
    """
    Return `found` without what a view shows to begin before its line: at `+`, at `a.env:2:`.

    Of two copies the view has the shorter one: lines may begin alike because they are copies.
    """
    ends = {
        (secret.kind, at): (view.in_whole(secret).end, secret.is_copy)
        for secret in (*in_view, *view.placeholders())
        for at in view.before(secret, text)
    }
    kept: list[Secret] = []
    for each in found:
        end, is_copy = ends.get((each.kind, each.start), (-1, False))
        if end < each.end or (is_copy and each.is_copy):
            kept.append(each)
    return kept


def _plain(raw: bytes) -> bytes:
    """Return `raw` as the prefilter can read it."""
    is_printed = b"\\" in raw or b"\x1b" in raw or b"\0" in raw or b"**" in raw
    if not is_printed and raw.isascii():
        return raw  # most lines: nothing in them is spelled in another way, or hidden
    plain = readable(raw)
    if b"\\u2" in plain:
        plain = _AFTER_NUMBER.sub(b" ", plain)
    if b"\\\\" in plain:  # of a string in a string, as keywords have it
        plain += b"\n" + _BACKSLASHES.sub(rb"\\", plain)
    if b"**" in plain:  # of bold text: a keyword may have a blank after it
        plain += b"\n" + plain.replace(b"**", b"")
    return with_visible(with_zeros_apart(plain))


def _without_escapes(found: list[Secret], text: bytes) -> list[Secret]:
    """Return what was found in JSON, but what an escape begins or ends: its strings are read."""
    whole = [
        secret
        for secret in found
        if secret.kind in OF_USER or not _ESCAPE_AT_END.search(secret.text)
    ]
    return whole if len(whole) < len(found) and is_json(text) else found


_ESCAPE_AT_END = expression(rb"\A\\|\\[nrt\"]?\Z")
_BACKSLASHES = expression(rb"\\{2,}")
_AFTER_NUMBER = expression(rb"\\{1,7}u(?:2192|2502)")  # of a line that was read: an arrow, a bar


def _in_field(secret: Secret, name: str, at: int) -> Secret:
    """Return a secret of the header with its place: a word of the command, or another field."""
    place = spell(name, str(at)) if name == "command" else spell(name)
    return msgspec.structs.replace(secret, pointer=place)


def _in_any_line(word: str) -> bytes:
    """Return what is in each line that has a step `word`, in small letters; nothing, if any has."""
    return b"" if word == "*" or word.isdigit() else word.lower().encode(errors="surrogatepass")


def _is_next_in_list(raw: bytes, leaf: Leaf) -> bool:
    """Whether a comma is before it, as in `{"authorization", "cookie"}`, which is no JSON."""
    if not leaf.path or not isinstance(leaf.path[-1], str) or not leaf.is_string:
        return False
    return raw[max(0, leaf.start - _FARTHEST_COMMA) : leaf.start - 1].rstrip().endswith(b",")


def _in_number(raw: bytes, search: ShapeSearch) -> Iterator[Secret]:
    """Give the number that all of `raw` is, if there is a secret in it: a code, for example."""
    number = raw.strip()
    if number[:1] in _NUMBER_STARTS and search.find_in(number):
        start = raw.find(number)
        yield Secret(start, start + len(number), "value", text=number, is_number=True)
