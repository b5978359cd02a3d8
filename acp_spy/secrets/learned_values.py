"""
Values that were once found, and are searched for everywhere from then on, also if cut short.

Not words, numbers or paths: replacing those would wreck the capture. The
name of a secret says more than its place: not every variable and header is one, so of those only
what looks random is learned, and is no model's name.

A copy may be cut: by a log, by a screen, by an update that was sent while the text grew. So a
secret is searched for by pieces of 12 characters, and the match goes on as long as both agree.
"""

import re
from collections.abc import Iterable

import msgspec

from acp_spy.secrets.secret import Secret
from acp_spy.secrets.vendor_shapes import VENDORS

_MOST = 2000  # pieces; each line is searched for each of them
_PIECE = 12  # characters: what is shorter may be a coincidence
_MOST_PIECES = 40  # of one secret
_MOST_CUT = 400  # pieces of cut secrets; beyond that only whole ones are searched for

_TOKEN = re.compile(rb"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])[\w.~+=-]{12,512}")
_RANDOM = re.compile(rb"(?<!\w)(?=[A-Za-z_]*+[0-9])(?=[0-9_]*+[A-Za-z])\w{12}")
_BASE64 = re.compile(
    rb"(?!/)(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?=(?:[^0-9]*+[0-9]){2})[A-Za-z0-9+/]{20,512}={0,2}"
)
# Any printable ASCII but what a line spells differently; a letter, and a digit or a sign.
_NAMED = re.compile(
    rb"(?=[^A-Za-z]*+[A-Za-z])(?=[\w.,-]*+[^\w.,-]|[^0-9]*+[0-9])[!#-\[\]-~]{8,512}"
)
_PLACE = re.compile(rb"(?:~|\.{1,2})?/[\w.@-]+/|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*://")

# Kinds by place, and kinds by look whose secrets may occur elsewhere without that look.
_SURELY = frozenset(("login", "secret"))
_MAYBE = frozenset(
    (
        *("env", "header", "url-password", "url-token", "url-parameter", "authorization"),
        *("option", "variable", "assignment"),
    )
)


# Known by their look anywhere, but not if they are cut.
_VENDOR_KINDS = frozenset(shape.kind for shape in VENDORS) | {"jwt", "age-key", "private-key"}
_LEAST_OF_VENDORS = 20
# What all keys of a kind have in common: words, versions, the header of a JWT.
_COMMON_START = re.compile(rb"eyJ[\w-]*\.|(?:[A-Za-z]{1,12}[0-9]{0,2}[-_.])*")
_COMMON_IN_BLOCKS = 64
_IS_RANDOM = re.compile(rb"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[!#-\[\]-~]+")


class LearnedPiece(msgspec.Struct, frozen=True):
    """Where in a secret a piece is by which it is searched for, and of what kind the secret is."""

    secret: bytes
    at: int
    kind: str


class LearnedValues:
    """The secrets that are looked for, by pieces of them."""

    def __init__(self) -> None:
        self.pieces: dict[bytes, LearnedPiece] = {}
        self._known: set[bytes] = set()

    def learn(self, found: Iterable[Secret]) -> None:
        """Keep what of `found` can be searched for elsewhere."""
        for secret in found:
            if secret.text in self._known or len(self.pieces) >= _MOST:
                continue
            is_whole = _is_learnable(secret)
            if not is_whole and not _is_vendors(secret):
                continue
            self._known.add(secret.text)
            may_be_cut = len(self.pieces) < _MOST_CUT
            for at, end in _pieces(secret, is_whole=is_whole, may_be_cut=may_be_cut):
                piece = secret.text[at:end]
                self.pieces.setdefault(piece, LearnedPiece(secret.text, at, secret.kind))

    def in_text(self, text: bytes) -> list[bytes]:
        """Return the pieces that are in `text`."""
        return [piece for piece in self.pieces if piece in text]

    def span(self, text: bytes, start: int, piece: bytes) -> tuple[int, int, str]:
        """Return how far around `piece`, at `start` of `text`, the secret goes, and its kind."""
        known = self.pieces[piece]
        secret, first = known.secret, known.at
        last, end = first + len(piece), start + len(piece)
        while first and start and secret[first - 1] == text[start - 1]:
            first, start = first - 1, start - 1
        while last < len(secret) and end < len(text) and secret[last] == text[end]:
            last, end = last + 1, end + 1
        return start, end, known.kind


def _is_vendors(secret: Secret) -> bool:
    return secret.kind in _VENDOR_KINDS and len(secret.text) >= _LEAST_OF_VENDORS


def _pieces(secret: Secret, *, is_whole: bool, may_be_cut: bool) -> Iterable[tuple[int, int]]:
    """Give the pieces by which a secret is searched for."""
    text = secret.text
    if is_whole:
        yield 0, len(text)
    if len(text) <= _PIECE or not may_be_cut:
        return
    common = _COMMON_START.match(text)
    first = common.end() if common else 0
    if secret.kind == "private-key":
        first = _COMMON_IN_BLOCKS
    begin = 0 if first <= _PIECE // 2 else first - _PIECE // 2
    starts = range(begin, len(text) - _PIECE + 1, _PIECE)[:_MOST_PIECES]
    for at in (*starts, len(text) - _PIECE):
        if at >= 0 and _IS_RANDOM.fullmatch(text[at : at + _PIECE]):
            yield at, at + _PIECE


def _is_learnable(secret: Secret) -> bool:
    text = secret.text
    if secret.is_named and _NAMED.fullmatch(text) and not _PLACE.match(text):
        return True
    if secret.kind in _SURELY:
        return bool(_TOKEN.fullmatch(text) or _BASE64.fullmatch(text))
    if secret.kind in _MAYBE:
        return bool((_TOKEN.fullmatch(text) and _RANDOM.search(text)) or _BASE64.fullmatch(text))
    return False
