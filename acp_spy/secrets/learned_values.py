"""
Values that were once found, and are searched for everywhere from then on, also if cut short.

Not words, numbers or paths: replacing those would wreck the capture. The
name of a secret says more than its place: not every variable and header is one, so of those only
what looks random is learned, and is no model's name.

A copy may be cut: by a log, by a screen, by an update that was sent while the text grew. So a
secret is searched for by pieces of it, and the match goes on as long as both agree. A piece begins
at every fifth character and has 8, so that one is in any 12.

A text is searched once, however many secrets are known: of each place in it, eight characters are
looked up in a set. To ask for each secret with `in` took half a minute where this takes a second.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

from acp_spy.secrets.encoded_text import decoded, letters_in_base64, visible_text
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.secret import Secret
from acp_spy.secrets.values import is_base64_after_slash, is_jumbled, looks_random
from acp_spy.secrets.vendor_shapes import VENDORS
from acp_spy.wire.json_text import spelled_plainly

_MOST = 100_000  # pieces, so that memory does not grow
_MOST_IDS = 1000
_KEY = 8  # characters by which all are looked up: no whole secret is shorter
_LEAST_OF_CUT = 12  # characters: what is shorter may be a coincidence
_STEP = _LEAST_OF_CUT - _KEY + 1
_SHORT = 64  # characters of a secret: to compare all of it at each place takes no time
_MOST_TRIED = 8  # ways to lay a longer secret over a text; more only if it repeats itself
_MOST_PIECES = 1000  # of one secret: of 5,000 characters, more than most private keys have
_MOST_ALIKE = 4  # secrets that have the same piece, or places of it in one
_LONG = 1024  # characters: a longer secret is not searched for by pieces such as `xyxyxyxy`
_LONGEST_PERIOD = 4  # characters: half of a piece
_MOST_LENGTHS = 32  # of secrets that begin alike: each is tried

# What of a text may be a learned secret: they have no blanks and nothing that a line escapes.
_RUN = expression(rb"[!#-\[\]-~]{%d,}+" % _KEY)
_QUOTES_IN_PAGES = (
    *((b'"', b"'"), (b"&quot;", b"&#x27;"), (b"&quot;", b"&#39;"), (b"&quot;", b"'")),
    *((b"&#34;", b"&#39;"), (b"&quot;", b"&apos;")),
)
# If one has letters beyond ASCII, a quote or a backslash.
_WIDE_RUN = expression(rb"[!-~\x80-\xff]{%d,}+" % _KEY)
_TOKEN = expression(
    rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z\x80-\xff]*+[A-Za-z\x80-\xff])[\w.~+=\x80-\xff-]{12,8192}"
)
_RANDOM = expression(
    rb"(?<![\w\x80-\xff])(?=[A-Za-z_\x80-\xff]*+[0-9])(?=[0-9_]*+[A-Za-z\x80-\xff])"
    rb"[\w\x80-\xff]{12}"
)
_BASE64 = expression(
    rb"(?!/)(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?=(?:[^0-9]*+[0-9]){2})[A-Za-z0-9+/]{20,8192}={0,2}"
)
# Anything printable, but no list or object; a letter, and a digit or a sign.
_NAMED = expression(
    rb"(?![\[{])(?=[^A-Za-z\x80-\xff]*+[A-Za-z\x80-\xff])"
    rb"(?=[\w.,\x80-\xff-]*+[^\w.,\x80-\xff-]|[^0-9]*+[0-9])[!-~\x80-\xff]{8,8192}"
)
_SHORT_BASE64 = expression(
    rb"(?!/)(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?=[^0-9]*+[0-9])[A-Za-z0-9+/]{20,8192}={0,2}"
)
_LONGEST_PLAIN = 3  # characters of a part, which says nothing
_PLACE = expression(rb"(?:~|\.{1,2})?/[\w.@-]+/|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*://")

# A password that no text has by chance: letters, digits and a sign that names and paths lack.
_ODD_PASSWORD = expression(
    rb"(?=[^0-9]*+[0-9])(?=[^!\"#$%^&*?\\]*+[!\"#$%^&*?\\])"
    rb"(?:(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])[!-.0-~\x80-\xff]{8,8192}"
    rb"|(?=[^A-Za-z\x80-\xff]*+[A-Za-z\x80-\xff])[!-.0-~\x80-\xff]{12,8192})"
)

# One without a digit. Large and small letters must change as in no name.
_LETTERS = expression(rb"[A-Za-z]{12,8192}")

# One with signs that programs have, too: `kP9(mX2vLq7;Rt4w`. What is between them must look random.
_WITH_SIGNS = expression(
    rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])(?=[^(),;<>|{}\[\]'`]*+[(),;<>|{}\[\]'`])[!-~]{10,128}"
)

# A password with signs between short parts, as in names and paths: `Winter-Storm-2024`. Where only
# the place says that it is a secret, or with a sign of paths, its letters and digits must change
# often. No name of a model does that: `Mixtral-8x7B-Instruct-v0.1`.
_IN_PARTS = expression(rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])[\w.~+/=:@-]{12,128}")
_HAS_CASES = expression(rb"(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])")
_CHANGE = expression(rb"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_MOST_PER_CHANGE = 4  # characters
_MANY_CHANGES = 4  # one less in capitals, as in the key of a license
_NAMED_BY_PLACE = frozenset(("env", "header", "login", "url-path", "value"))
# A host that begins with a digit is in a domain.
_ADDRESS = expression(
    rb"[\w.+-]+@(?:[a-z][a-z0-9-]*+|[a-z0-9-]+(?=\.))(?:\.(?:[A-Z]?[a-z0-9-]++|[A-Z0-9-]++)(?=\.|\Z))*+"
)
_DATE = expression(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}")

# What of a longer one may be a secret by itself: `sid=X; theme=dark`, `username="a", response="X"`.
_PART = expression(rb"[\w.~+/%-]{12,8192}={0,2}")
# The value of a cookie among others, with signs that are not between parts of it.
_OF_COOKIE = expression(rb"(?:^|;) {0,3}[\w.-]{1,64}=([\w.~+/%!#$*^@?-]{12,8192}={0,2})(?=;|$)")
_BETWEEN_SLASHES = expression(rb"(?:^|(?<=/))[\w.~+%-]{12,8192}={0,2}(?=/|$)")

# How a log shows that more followed, and what that may be: no word. It begins with a letter or a
# digit, so that `x-prod` and `x/y` have no more of it; after a slash a path may go on.
_CUT_SIGNS = expression(
    rb"(?:(?<!\.)\.{3,}+|(?<!\*)\*{3,}+|(?<!\xe2\x80[\xa6\xa2])(?:\xe2\x80[\xa6\xa2])++)\Z"
)
_AFTER_SLASH = rb"/(?=[A-Za-z]{0,16}[0-9])(?=[0-9]{0,16}[A-Za-z])[\w+-]{4,512}(?<![_+-])"
_REST_OF_RUN = expression(
    rb"(?=[A-Za-z+_-]{0,16}(?:[0-9]|[a-z][A-Z]))"
    rb"[A-Za-z0-9](?:[\w+-]{3,512}|[\w+-]{0,2}(?=%b))(?<![_+-])(?:%b){0,16}+={0,2}"
    % (_AFTER_SLASH, _AFTER_SLASH)
)
_LONG_PART = 16
_ORDINARY = frozenset(("env", "header", "value"))  # which may have the name of a program
_BY_PLACE = frozenset(("env", "header"))
_SAID_BY_PLACE = _BY_PLACE | {"url-path"}  # by nothing else: it may be an id
_ENCODED = "base64"
_SURELY = frozenset(("login", "secret"))
# What is about a person, and what is the text of something else: not searched for elsewhere.
_PHRASE = "mnemonic"
_MOST_PHRASES = 256
_TWELVE_WORDS = expression(rb"[a-z]{3,8}(?: [a-z]{3,8}){11}(?![a-z])")
_ONLY_THERE = frozenset(("person", "account", _PHRASE, _ENCODED, "hex"))
# Of these, no part is: paths, more often, and texts.
_ONLY_WHOLE = _ONLY_THERE | {"env", "value"}
# Known by their look anywhere, but not if they are cut.
_OF_VENDORS = frozenset(shape.kind for shape in VENDORS) - {"url-path"}  # which a URL shows
_VENDOR_KINDS = _OF_VENDORS | {"jwt", "age-key", "private-key"}
_LEAST_OF_VENDORS = 16
# What all keys of a kind have in common: words, versions, the header of a JWT. What is random may
# have a dash, too, but hardly letters of one case up to it.
_COMMON_START = expression(rb"eyJ[\w-]*\.|(?:(?:[a-z]{1,12}|[A-Z]{1,12})[0-9]{0,2}[-_.]){0,4}")
_AT_BREAKS = b" \t\r\n\"'`"
_AFTER_NAME = _AT_BREAKS + b"=:"  # of `session.id=X` in a variable, this is X after another name
_COMMON_IN_BLOCKS = 64
# Of a block that is encoded again, as in the settings of kubectl: also a certificate has this.
_BLOCK_IN_BASE64 = letters_in_base64(b"-----BEGIN ", 0)
_COMMON_IN_BASE64 = 80
_LINE_OF_BLOCK = expression(rb"[A-Za-z0-9+/=]{12,}+")
_IN_BLOCK = expression(rb"[A-Za-z0-9+/=]+")
_ARMOR = expression(rb"-----(?:BEGIN|END)[A-Z ]{1,40}-----")
_BREAK = expression(rb"(?:\s|(?<!\\)\\++[nr])++")
_LEAST_OF_LINE = 24  # of a shorter one, which may be the last, letters and digits are of all kinds
# How a block begins that has something in common: DER, OpenSSH, a line before the key.
_BLOCK = expression(rb"M[A-I]|b3BlbnNzaC1|[\w-]{1,20}:")
# Of a private key in DER: a version, perhaps the algorithm and a key within the key, and how long
# the first number is.
_LENGTH = rb"(?:[\x00-\x7f]|\x81.|\x82..)"
_DER_START = expression(
    rb"\x30%b\x02\x01.(?:\x30.{5,32}?\x04%b(?:\x30%b\x02\x01.)?)?(?:\x04%b|\x02%b\x00?)"
    % ((_LENGTH,) * 5),
    re.DOTALL,
)
_ODD_SIGN = expression(rb"[!\"#$%^&*?\\(),;<>|{}\[\]'`]")  # that names and paths lack
_CONSONANTS = expression(rb"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{4}")
_MANY_CONSONANTS = expression(rb"[b-df-hj-np-tv-xz]{7}")  # `catchphrase` has six
_IS_RANDOM = expression(rb"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])")  # both cases do in a vendor's


_SPELLED = expression(rb"[^\w.-]|[\x80-\xff]")  # what a URL spells in another way
# What else a URL does not spell in another way: in Go and .NET nothing, in Python, JavaScript
# (parameters and whole URLs), .NET (parameters), Java, and paths in Go.
_SAFE_IN_URLS = ("", "/", "!*'()", "!*'();,/?:@&=+$#", "!*()", "*", "$&+=:@")
_HEX_IN_URL = expression(rb"%[0-9A-F]{2}")
_ESCAPED = expression(rb"[\"\\]")  # what a string spells in another way
_ESCAPE = expression(rb"\\([\"\\])")
_DEEPEST = 3  # strings in strings
_BASE64_TEXT = expression(rb"[A-Za-z0-9+/_-]{11,8192}={0,2}")
_IN_BASE64 = expression(rb"[A-Za-z0-9+/_-]{0,12288}+={0,2}")  # of 8192 characters, and more
_IN_BASE64_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_LONGEST_BESIDE = 512  # of what is encoded before it: a user's name
_ENCODED_BY = 64  # characters by which a secret is searched for in base64
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class LearnedPiece(msgspec.Struct, frozen=True):
    """Where in a secret a piece is by which it is searched for, and of what kind the secret is."""

    secret: bytes
    at: int
    kind: str

    def cut_in(self, text: bytes, start: int, least: int) -> tuple[int, int, str] | None:
        """
        Return where the secret, or a part of it, is around this piece at `start`, and its kind.

        It begins at `least` or after it: what is before has been found. Nothing, if it is so little
        that it may be a coincidence.
        """
        is_shown = False
        if len(self.secret) > _SHORT:
            # In a text that repeats itself, pieces are everywhere: what is near shows enough, also
            # if there is an ordinary word further away.
            near = self._in_text(text, start, least, _LEAST_OF_CUT - _KEY)
            is_shown = _is_cut(text[slice(*near)], self.kind)
            if least != near[0] and not is_shown:
                return None
        start, end = self._in_text(text, start, least, len(self.secret))
        is_next = 0 < least == start  # to a secret with the same beginning, or of one that repeats
        if not is_next and not is_shown and not _is_cut(text[start:end], self.kind):
            return None
        found = text[start:end]  # of a key that was broken, the end of a line or a string stays
        before = _AFTER_NAME if self.kind in _BY_PLACE else _AT_BREAKS
        start, end = end - len(found.lstrip(before)), start + len(found.rstrip(_AT_BREAKS))
        while start < end and 0x80 <= text[start] < 0xC0:  # within a letter of several bytes
            start += 1
        while start < end < len(text) and 0x80 <= text[end] < 0xC0:
            end -= 1
        return start, end, self.kind

    def _in_text(self, text: bytes, start: int, least: int, most: int) -> tuple[int, int]:
        """
        Return how far the secret goes around this piece, which is at `start` of `text`.

        Not before `least`, and by no more than `most` characters to each side.
        """
        end = start + _KEY
        to_secret = self.at - start
        first = max(least, start - min(self.at, most))
        last = end + min(len(self.secret) - self.at - _KEY, len(text) - end, most)
        while start > first and self.secret[start - 1 + to_secret] == text[start - 1]:
            start -= 1
        while end < last and self.secret[end + to_secret] == text[end]:
            end += 1
        return start, end


class LearnedValues:
    """The secrets that are looked for, as a whole and by pieces of them."""

    def __init__(self) -> None:
        self.pieces: dict[bytes, tuple[LearnedPiece, ...]] = {}
        self.wholes: dict[bytes, str] = {}  # with the kind of each
        self._lengths: dict[bytes, list[int]] = {}  # of the whole ones, by how they begin
        self._keys: set[bytes] = set()
        self._known: set[bytes] = set()
        # What was found of them, of which kind, and is not searched for by itself.
        self._cuts: dict[bytes, str] = {}
        self._sure: set[bytes] = set()  # what is a secret for more than its place
        self._all_sure = bytearray()  # in one text, which is searched at once
        self._only_sure: LearnedValues | None = None  # to search for nothing else
        self._not_in_it: list[Secret] = []  # yet: most captures need none
        self._ids: set[bytes] = set()  # copies that are ids: of those, only what is sure is found
        self._changes = 0  # of what is an id, or sure
        self._phrases: dict[bytes, bytes] = {}  # of words that are ordinary, by the first twelve
        self._run = _RUN

    @property
    def count(self) -> int:
        """How much is searched for: more whenever something was learned."""
        return len(self._known) + self._changes + len(self._phrases)

    def learn(self, found: Iterable[Secret]) -> None:
        """Keep what of `found` can be searched for elsewhere."""
        for secret in found:
            if _is_sure(secret):
                self._learn_sure(secret)
            if secret.text in self._known or len(self._keys) >= _MOST:
                self._learn_more(secret)
                continue
            if secret.is_copy and secret.text in self._cuts:
                continue
            if b"redacted-" in secret.text and PLACEHOLDER.search(secret.text):
                continue  # what is beside the placeholder of an earlier run is not a copy
            self._learn_one(secret)

    def _learn_more(self, secret: Secret) -> None:
        """Search for more parts of what only its place had shown, and now something else."""
        if secret.kind not in _ORDINARY and self.wholes.get(secret.text) in _ORDINARY:
            self.wholes[secret.text] = secret.kind
            self._forget_pieces(secret.text)
            self._learn_pieces(secret)
            self._changes += 1

    def learn_look(self, found: Iterable[Secret]) -> None:
        """Search for parts of what is known from its place as for those of a vendor's key."""
        for secret in filter(is_vendors, found):
            self._forget_pieces(secret.text)  # what all of the vendor's have in common is none
            self._learn_pieces(secret)

    def _forget_pieces(self, secret: bytes) -> None:
        self._cuts.pop(secret, None)
        for at in _pieces(Secret(0, len(secret), "secret", text=secret)):
            piece = secret[at : at + _KEY]
            if known := self.pieces.get(piece):
                self.pieces[piece] = tuple(each for each in known if each.secret != secret)

    def _learn_sure(self, secret: Secret) -> None:
        if secret.text not in self._sure and len(self._sure) < _MOST:
            self._sure.add(secret.text)
            self._all_sure += b"\0" + secret.text
            self._not_in_it.append(secret)
            self._changes += secret.text in self._known  # as one that may be an id

    def is_sure(self, copy: Secret) -> bool:
        """Whether a copy is a secret, wherever it is: not only the place of another one says so."""
        return copy.text not in self._ids and (_is_sure(copy) or copy.text in self._all_sure)

    def sure_in(self, copy: Secret) -> Iterator[Secret]:
        """Give what of a copy that is not sure is a copy of one that is."""
        if self._not_in_it:
            self._only_sure = self._only_sure or LearnedValues()
            self._only_sure.learn(self._not_in_it)
            self._not_in_it.clear()
        for part in self._only_sure.find(copy.text) if self._only_sure else ():
            yield msgspec.structs.replace(
                part, start=copy.start + part.start, end=copy.start + part.end
            )

    def learn_id(self, text: bytes) -> None:
        """Take note that a copy of what is known, from its place alone, is an id."""
        if text not in self._ids and len(self._ids) < _MOST_IDS:
            self._ids.add(text)
            self._changes += 1

    def _learn_one(self, secret: Secret) -> None:
        if b"\x1b" in secret.text and secret.kind != "private-key":
            visible, _ = visible_text(secret.text)  # the numbers of a color are no part of it
            secret = msgspec.structs.replace(secret, text=visible)
        if (text := secret.text.strip()) != secret.text and b"PRIVATE KEY" not in text:
            secret = msgspec.structs.replace(secret, text=text)  # a file of it may end with a line
        if cut := _CUT_SIGNS.search(secret.text):  # all that is known of it
            secret = msgspec.structs.replace(secret, text=secret.text[: cut.start()])
        self._learn_decoded(secret)
        if (phrase := _TWELVE_WORDS.match(secret.text)) and len(self._phrases) < _MOST_PHRASES:
            known = self._phrases.get(phrase[0], b"")
            self._phrases[phrase[0]] = max(known, secret.text, key=len)
        if b"PRIVATE KEY" in secret.text:  # as the value of a variable
            self._learn_pieces(msgspec.structs.replace(secret, kind="private-key"))
        elif is_learnable(secret) or is_learnable(_unquoted(secret)):
            self._learn_copies(secret)
            plain = _unquoted(secret)
            if plain.text != secret.text and not _PLACE.match(plain.text):
                self._learn_copies(plain)
        elif is_vendors(secret):
            self._learn_encoded(secret.text)
            self._learn_pieces(secret)
        elif secret.kind not in _ONLY_WHOLE:
            self.learn(
                msgspec.structs.replace(secret, text=part, is_named=False)
                for part in _parts(secret)
            )

    def _learn_copies(self, secret: Secret) -> None:
        """Search for all of it, in any spelling, and for parts of it."""
        if not secret.text.isascii() or _ESCAPED.search(secret.text):
            self._run = _WIDE_RUN
        self._learn_whole(secret)
        self._learn_spellings(secret)
        self._learn_pieces(secret)

    def _learn_pieces(self, secret: Secret) -> None:
        self._known.add(secret.text)
        if secret.kind == "private-key":
            for text in dict.fromkeys(
                (_without_last_prefix(secret.text), _in_one_line(secret.text))
            ):
                self._learn_text(msgspec.structs.replace(secret, text=text))
        else:
            self._learn_text(secret)

    def _learn_text(self, secret: Secret) -> None:
        if self._cuts.get(secret.text) == secret.kind:
            return  # by pieces of the longer one, it is found already
        for at in _pieces(secret):
            piece = secret.text[at : at + _KEY]
            if len(secret.text) > _LONG and _is_periodic(piece):
                continue
            # Those that are in this one may be what a growing text had.
            alike = tuple(
                known
                for known in self.pieces.get(piece, ())
                if known.secret == secret.text
                or known.secret not in secret.text
                or (known.kind not in _ORDINARY and secret.kind in _ORDINARY)
            )
            new = LearnedPiece(secret.text, at, secret.kind)
            self.pieces[piece] = (*alike[: _MOST_ALIKE - 1], new)
            self._keys.add(piece)

    def _learn_whole(self, secret: Secret) -> None:
        start = secret.text[:_KEY]
        if len(secret.text) > _LONG and _is_periodic(start):
            return  # at each place of a text like it, both would be compared
        lengths = self._lengths.setdefault(start, [])
        if len(secret.text) not in lengths:
            if len(lengths) == _MOST_LENGTHS:
                return
            lengths.append(len(secret.text))
            lengths.sort(reverse=True)
        self.wholes[secret.text] = secret.kind
        self._keys.add(start)

    def _learn_spellings(self, secret: Secret) -> None:
        """Search also for how a URL, a page, a string and base64 spell it: `p%40ss`, `a&amp;b`."""
        self._learn_encoded(secret.text)
        if not _SPELLED.search(secret.text):
            return
        spelled = {*_in_url(secret.text), *_in_page(secret.text)}
        if _ESCAPED.search(secret.text):
            # Where it was found it may have been in a string of a program.
            plain = secret.text.replace(b'\\"', b'"').replace(b"\\\\", b"\\")
            for text in {secret.text, plain} if len(plain) >= _KEY else {secret.text}:
                spelled.add(text)
                self._learn_encoded(text)
                for _ in range(_DEEPEST):
                    text = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')  # noqa: PLW2901
                    spelled.add(text)
        for text in sorted(spelled - {secret.text}):
            self._learn_whole(msgspec.structs.replace(secret, text=text))

    def _learn_encoded(self, text: bytes) -> None:
        """Search also for its base64, by itself or after something, as in `user:password`."""
        for before in range(3):
            letters = letters_in_base64(text[:_ENCODED_BY], before)
            for core in {letters, letters.translate(_URL_SAFE)}:
                if len(core) >= _KEY:
                    self._learn_whole(Secret(0, 0, _ENCODED, text=core))

    def _learn_decoded(self, secret: Secret) -> None:
        """Search also for what it says in base64: a Secret of Kubernetes, `user:password`."""
        if secret.kind in _ONLY_THERE or not _BASE64_TEXT.fullmatch(secret.text):
            return
        if plain := decoded(secret.text).rstrip(b"\r\n"):
            password = plain.partition(b":")[2]
            self.learn(msgspec.structs.replace(secret, text=each) for each in (plain, password))

    def may_be_in(self, raw: bytes) -> bool:
        """Whether one of the secrets, or a piece of one, is in a line; it may be escaped there."""
        if self._phrases and any(phrase in raw for phrase in self._phrases):
            return True
        if not self._keys:
            return False
        if b"\\u00" in raw:  # also `&`, `<` and `>`, which no keyword has: JSON of Go has these
            raw = spelled_plainly(raw)
        if self._run is _WIDE_RUN and b"\\" in raw:
            if b"\\u" in raw:
                return True
            raw += _ESCAPE.sub(rb"\1", raw)  # of a cut one, only the plain spelling is known
        return next(self.find(raw), None) is not None

    def find(self, text: bytes) -> Iterator[Secret]:
        """Give the secrets in `text`, and what is left of cut ones."""
        spans: Iterable[tuple[int, int, str]] = self._spans(text)
        if self._phrases:
            spans = sorted((*spans, *self._phrases_in(text)))
        for start, end, kind in spans:
            secret = Secret(start, end, kind, text=text[start:end], is_copy=True)
            if secret.text in self._ids:
                yield from self.sure_in(secret)
            else:
                yield secret

    def _phrases_in(self, text: bytes) -> Iterator[tuple[int, int, str]]:
        for first, phrase in self._phrases.items():
            end = 0
            while (start := text.find(first, end)) >= 0:
                end = start + len(first)
                # What is known of it may have more words than there are, and words behind it.
                for word in phrase[len(first) :].split(b" ")[1:]:
                    if not text.startswith(b" " + word, end):
                        break
                    end += 1 + len(word)
                yield start, end, _PHRASE

    def _spans(self, text: bytes) -> Iterator[tuple[int, int, str]]:
        keys = self._keys
        if not keys:
            return
        last: tuple[int, int, str] | None = None
        end = 0
        for run in self._run.finditer(text):
            for at in range(run.start(), run.end() - _KEY + 1):
                if text[at : at + _KEY] not in keys or at < end:
                    continue
                if span := self._whole_at(text, at, end):
                    is_more = False
                elif span := self._cut_at(text, at, end):
                    is_more = span[0] == end  # of a key that repeats itself
                else:
                    continue
                if last and is_more:
                    last = (last[0], span[1], last[2])
                else:
                    if last:
                        yield last
                    last = span
                end = span[1]
        if last:
            yield last

    def _whole_at(self, text: bytes, at: int, least: int) -> tuple[int, int, str] | None:
        for length in self._lengths.get(text[at : at + _KEY], ()):
            secret = text[at : at + length]
            if len(secret) == length and (kind := self.wholes.get(secret)):
                if kind == _ENCODED:
                    return _all_encoded(text, at, at + length, least)
                longer = self._longer_at(text, at, at + length, least)
                return longer or (at, _end_of_run(text, at, at + length), kind)
        return None

    def _longer_at(self, text: bytes, at: int, end: int, least: int) -> tuple[int, int, str] | None:
        """Return the longer secret of which one from `at` to `end` is a part, if it goes on."""
        tried: set[tuple[bytes, int]] = set()
        for start in range(at, end - _KEY + 1):
            for known in self.pieces.get(text[start : start + _KEY], ()):
                way = (known.secret, known.at - start)
                if len(known.secret) <= end - at or way in tried or len(tried) == _MOST_TRIED:
                    continue
                tried.add(way)
                longer = known.cut_in(text, start, least)
                if longer and longer[0] <= at and longer[1] > end:
                    return longer
        return None

    def _cut_at(self, text: bytes, start: int, least: int) -> tuple[int, int, str] | None:
        """Return the longest part of a secret around a piece at `start` of `text`, and its kind."""
        longest = None
        for known in self.pieces.get(text[start : start + _KEY], ()):
            cut = known.cut_in(text, start, least)
            if cut and (longest is None or cut[1] - cut[0] > longest[1] - longest[0]):
                longest = cut
        if longest:  # a private key may go on where a line of it ends, another where a chunk did
            longest = self._longer_at(text, *longest[:2], least) or longest
        if longest and len(self._cuts) < _MOST:
            self._cuts[text[longest[0] : longest[1]]] = longest[2]
        return longest


def _unquoted(secret: Secret) -> Secret:
    """Return what it says in a URL."""
    return msgspec.structs.replace(secret, text=unquote_to_bytes(secret.text))


def _parts(secret: Secret) -> Iterator[bytes]:
    """
    Give what of a longer value may be a secret by itself.

    Of one with slashes, what is between them, if it looks random: what is beside may be a path, or
    the end of a command. What may have the name of a program is more often a path.
    """
    for part in _PART.findall(secret.text):
        if part != secret.text and _is_part(part):
            yield part
    if b";" in secret.text:
        for value in _OF_COOKIE.findall(secret.text):
            if _is_part(value):
                yield value
    if b"/" in secret.text and secret.kind not in _ORDINARY and not _PLACE.match(secret.text):
        for part in _BETWEEN_SLASHES.findall(secret.text):
            if part != secret.text and (looks_random(part) or is_jumbled(part)):
                yield part


def _is_part(part: bytes) -> bool:
    """Whether a part of a longer value may be a secret by itself: a short one looks random."""
    return len(part) >= _LONG_PART or looks_random(part) or is_jumbled(part) or _is_no_word(part)


def _all_encoded(text: bytes, start: int, end: int, least: int) -> tuple[int, int, str]:
    """Return all of the base64 around a secret in it, from `least` on."""
    before = text[max(least, start - _LONGEST_BESIDE) : start]
    after = _IN_BASE64.match(text, end)
    assert after is not None
    return start - len(before) + len(before.rstrip(_IN_BASE64_LETTERS)), after.end(), _ENCODED


def _end_of_run(text: bytes, start: int, end: int) -> int:
    """Return where a copy ends that goes on after `end`: what is known may be a cut form of it."""
    rest = _REST_OF_RUN.match(text, end)
    if rest is None or not looks_random(text[start : rest.end()]):
        return end
    return rest.end()


def _is_sure(secret: Secret) -> bool:
    """Whether more than its place says that it is a secret: a name, its look, the user."""
    return secret.is_named or secret.kind not in _SAID_BY_PLACE


def is_vendors(secret: Secret) -> bool:
    """Whether it is a key that is known by its look anywhere."""
    return secret.kind in _VENDOR_KINDS and len(secret.text) >= _LEAST_OF_VENDORS


def _pieces(secret: Secret) -> Iterator[int]:
    """Give where the pieces begin by which a cut secret is searched for."""
    text = secret.text
    begin = 0
    if secret.kind == "private-key":
        yield from islice(_pieces_of_block(text), _MOST_PIECES)
        return
    if text.startswith(_BLOCK_IN_BASE64):
        begin = _COMMON_IN_BASE64
    elif secret.kind in _VENDOR_KINDS and (common := _COMMON_START.match(text)):
        # After the prefix of a vendor three more say enough; all JWTs go on alike.
        begin = max(0, common.end() - (_KEY - 3 if secret.kind in _OF_VENDORS else _KEY - 6))
    yield from islice(range(begin, len(text) - _KEY, _STEP), _MOST_PIECES)
    if len(text) >= _LEAST_OF_CUT:
        yield len(text) - _KEY


def _is_periodic(piece: bytes) -> bool:
    """Whether a piece only repeats one to four characters, as `xyxyxyxy` does."""
    return any(piece[step:] == piece[:-step] for step in range(1, _LONGEST_PERIOD + 1))


def _pieces_of_block(key: bytes) -> Iterator[int]:
    """Give those of a private key: what is before its lines, as in a log, is no part of it."""
    common = _common_in_block(key)
    for line in _LINE_OF_BLOCK.finditer(key):
        is_random = _HAS_CASES.match(line[0]) and _IS_RANDOM.match(line[0])
        begin, end = max(common, line.start()), line.end() - _KEY
        if begin <= end and (is_random or len(line[0]) >= _LEAST_OF_LINE):
            yield from range(begin, end, _STEP)
            yield end


def _without_last_prefix(key: bytes) -> bytes:
    """Return a private key without what is before its END in that line, as in a log."""
    lines, newline, last = key.rpartition(b"\n")
    return lines + newline if newline and not _LINE_OF_BLOCK.search(last) else key


def _in_one_line(key: bytes) -> bytes:
    """Return a private key without its line ends: a copy may have them elsewhere, or none."""
    plain, _ = visible_text(_ARMOR.sub(b"", key))
    words = [word for word in _BREAK.split(plain) if word]
    if all(word[:1] == b"+" for word in words):  # in a diff
        words = [word[1:] for word in words]
    lines: list[bytes] = []
    last = b""
    for word in words:
        run = max(_IN_BLOCK.findall(word), key=len, default=b"")
        if len(run) >= _LEAST_OF_LINE:
            lines.append(run)
            last = b""
        elif (
            run.endswith(b"=")
            or is_jumbled(run)
            or (_HAS_CASES.match(run) and _IS_RANDOM.match(run))
        ):
            last = last or run  # which is shorter than the others
    return b"".join((*lines, last))


def _common_in_block(key: bytes) -> int:
    """Return how many characters a private key has in common with others of its kind."""
    if not _BLOCK.match(key):
        return 0
    start = key[: 2 * _COMMON_IN_BLOCKS].translate(None, b" \t\r\n")[:_COMMON_IN_BLOCKS]
    try:
        der = _DER_START.match(a2b_base64(start[: len(start) // 4 * 4]))
    except Error:  # a line before the key
        der = None
    return der.end() * 4 // 3 if der else _COMMON_IN_BLOCKS


def _is_cut(part: bytes, kind: str) -> bool:
    """Whether so much of a secret, at least, is no coincidence."""
    return len(part) >= _LEAST_OF_CUT and bool(
        _IS_RANDOM.match(part)
        or is_jumbled(part.rstrip(b"="))
        or (kind not in _ORDINARY and _is_no_word(part))
        or (_HAS_CASES.match(part) and _ODD_SIGN.search(part))
        or (kind in _VENDOR_KINDS and (_HAS_CASES.match(part) or part.isupper()))
    )


def _is_no_word(part: bytes) -> bool:
    """Whether it has consonants in a row as few words have, fewer if it has both cases."""
    return bool(
        (_HAS_CASES.match(part) and _CONSONANTS.search(part)) or _MANY_CONSONANTS.search(part)
    )


def is_learnable(secret: Secret) -> bool:
    """Whether it looks like a secret, so that a copy elsewhere is one, too."""
    text = secret.text
    if not text.isascii() and len(text.decode(errors="replace")) < _KEY:
        return False  # it has fewer letters than bytes
    if secret.is_named and _NAMED.fullmatch(text) and not _PLACE.match(text):
        return True
    if secret.kind in _ONLY_THERE or secret.kind in _VENDOR_KINDS:
        return False
    if is_base64_after_slash(text) or _is_base64(text) or _is_password_in_parts(secret):
        return True
    if _LETTERS.fullmatch(text):
        return is_jumbled(text)
    return bool(
        (_TOKEN.fullmatch(text) and (secret.kind in _SURELY or _RANDOM.search(text)))
        or (_ODD_PASSWORD.fullmatch(text) and not _PLACE.match(text))
        or (_WITH_SIGNS.fullmatch(text) and looks_random(text) and not _PLACE.match(text))
        or (b"/" in text and looks_random(text) and _is_odd_with_slash(text))
    )


def _is_odd_with_slash(text: bytes) -> bool:
    return _ODD_PASSWORD.fullmatch(text.replace(b"/", b"")) is not None and not _PLACE.match(text)


def _is_base64(text: bytes) -> bool:
    """Whether it is a key in base64. With one digit it may be a path, which has plain words."""
    return _BASE64.fullmatch(text) is not None or (
        _SHORT_BASE64.fullmatch(text) is not None
        and all(_HAS_CASES.match(part) for part in text.split(b"/") if len(part) > _LONGEST_PLAIN)
    )


def _is_password_in_parts(secret: Secret) -> bool:
    """Whether it has both cases and a digit, or changes between letters and digits often."""
    text = secret.text
    if not _IN_PARTS.fullmatch(text) or _PLACE.match(text) or _DATE.match(text):
        return False
    changes = len(_CHANGE.findall(text))
    is_random = changes * _MOST_PER_CHANGE >= len(text)
    has_cases = _HAS_CASES.match(text) is not None
    if secret.kind == "login" and has_cases and looks_random(text):
        return True
    if secret.kind in _NAMED_BY_PLACE or b"/" in text:
        return is_random and has_cases
    if b"@" in text:
        return has_cases and (is_random or not _ADDRESS.fullmatch(text))
    return is_random or has_cases or changes >= (_MANY_CHANGES - text.isupper())


def _in_url(text: bytes) -> Iterator[bytes]:
    """Give how a URL spells a text: each language has its own way, .NET in small digits."""
    for safe in _SAFE_IN_URLS:
        url = quote_from_bytes(text, safe).encode()
        for spelled in (url, url.replace(b"~", b"%7E")):
            yield spelled
            yield _HEX_IN_URL.sub(lambda escape: escape[0].lower(), spelled)


def _in_page(text: bytes) -> Iterator[bytes]:
    """Give how a page spells a text; each language has its own way with quotes."""
    plain = escape(text.decode(errors="surrogateescape"), quote=False)
    page = plain.encode(errors="surrogateescape")
    for double, single in _QUOTES_IN_PAGES:
        yield page.replace(b'"', double).replace(b"'", single)
