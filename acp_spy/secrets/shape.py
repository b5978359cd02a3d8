"""
What a shape is: the look by which a kind of secret is known anywhere.

Each shape has an example, and a near miss that must be left alone. Nothing here looks like a key
itself, so that other scanners do not report this file: in the examples `<36>` means
36 letters and digits, `<hex 32>` for hexadecimal digits, `<upper 16>` for capitals and digits.

Every expression is linear: a run either matches and is passed at one go, or fails after as many
bytes as it lacks. So it begins with literals and has no two unbounded runs beside each other.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from os.path import commonprefix

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.values import Certainty, is_value

# Each of one case, with a small number in the end. Possessive: there is one way to read it.
_WORD = r"(?=[A-Za-z0-9])(?:[a-z]++|[A-Z]++(?![a-z])|[A-Z][a-z]++)?+[0-9]{0,4}+"
_WORDS = expression(rf"{_WORD}(?:[-_.%]++{_WORD})*+[-_.%]*+".encode())

Accepts = Callable[[bytes, re.Match[bytes]], bool]
Found = tuple[int, int, str]
Reads = Callable[[bytes, Iterable[re.Match[bytes]]], Iterable[Found]]


class Shape(msgspec.Struct, frozen=True):
    """
    A kind of secret that is known by its look.

    `keywords` are bytes of which one is in every such secret: a line without any needs no closer
    look. The secret is the expression's group `secret`, its first group, or else all that it
    matches. With `mixed`, it must hold a letter and a digit: words are none. `accepts` has the last
    word about a match in a text. With `read`, a match is only where a grammar begins, and `read`
    gives the secrets after all of them: start, end and kind of each. `may_be_in` is a second quick
    check of a line, in which strings are still escaped: to take a line apart is what costs most.
    `is_key` if the expression alone says where it ends: then it is also found in two halves.
    With `of_object`, several names of an object show it: it is looked for also in JSON itself.
    """

    kind: str
    keywords: tuple[bytes, ...]
    pattern: bytes
    example: str
    near_miss: str
    mixed: bool = False
    accepts: Accepts | None = None
    read: Reads | None = None
    may_be_in: Callable[[bytes], object] | None = None
    is_key: bool = False
    of_object: bool = False

    @property
    def regex(self) -> re.Pattern[bytes]:
        """The expression."""
        return compiled(self.pattern)


@cache
def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Return an expression, which is compiled when it is first needed: in most files few are."""
    return re.compile(pattern, re.DOTALL)


def is_in(pattern: bytes, raw: bytes) -> bool:
    """Whether an expression matches somewhere in `raw`."""
    return compiled(pattern).search(raw) is not None


def shape(
    kind: str,
    keywords: str | tuple[str, ...],
    regex: str,
    example: str,
    near_miss: str,
    *,
    mixed: bool = False,
    accepts: Accepts | None = None,
    is_key: bool = False,
    of_object: bool = False,
) -> Shape:
    """Declare a shape; `keywords` may be words with blanks between them."""
    words = keywords.split() if isinstance(keywords, str) else keywords
    encoded = tuple(map(str.encode, words))
    pattern = regex.encode()
    return Shape(
        *(kind, encoded, pattern, example, near_miss, mixed, accepts),
        is_key=is_key,
        of_object=of_object,
    )


def grammar(
    kind: str,
    keywords: str | tuple[str, ...],
    pattern: bytes,
    read: Reads,
    example: str,
    near_miss: str,
    *,
    may_be_in: Callable[[bytes], object] | None = None,
    of_object: bool = False,
) -> Shape:
    """Declare what is read by a function from where `pattern` matches."""
    words = keywords.split() if isinstance(keywords, str) else keywords
    encoded = tuple(map(str.encode, words))
    return Shape(
        *(kind, encoded, pattern, example, near_miss),
        read=read,
        may_be_in=may_be_in,
        of_object=of_object,
    )


def judged(certainty: Certainty) -> Accepts:
    """Return what accepts a match whose group `secret` is a value, in a place that is so sure."""
    return lambda _, match: is_value(match["secret"], certainty)


def each(read: Callable[[bytes, re.Match[bytes]], Iterable[Found]]) -> Reads:
    """Return what reads on from each match by itself."""
    return lambda text, matches: (found for match in matches for found in read(text, match))


# What is before a key, decided once for all shapes: no letter, unless it ends an escape: `\n` and
# `\x3d` in a repr, `%3D`, `\u003d`; and no sign, unless it is that of a diff.
_ESCAPES = (
    *(r"\\[abefnrtv]", r"%[0-9A-Fa-f]{2}", r"\\x[0-9A-Fa-f]{2}", r"\\u[0-9A-Fa-f]{4}"),
    r"\\n[+-]",
)


def begins(word: str, inside: str = "A-Za-z") -> str:
    """
    Return an expression that holds where `word` has just ended, if it did not begin in a word.

    `inside` are the characters after which it would. A digit may be before a key that begins with
    a word, but not before one that is random from its first character on.
    """
    found = re.escape(word)
    escaped = "".join(f"|(?<={escape}{found})" for escape in _ESCAPES)
    in_diff = rf"|(?<=[+-]{found})(?<![^\"\n][+-]{found})"
    return f"(?:(?<![{inside}]{found}){escaped}{in_diff})"


START = begins("", "A-Za-z0-9_.~-")


# Vendors change how long their keys are, and of what: after a start that only they have, anything
# random is one of them.
_RANDOM = r"[A-Za-z0-9_-]{20,}+"
_LEAST_START = 4  # characters, the last of them a sign: `ghp_`
_LEAST_CHANGES = 4  # from a letter to a digit, back, or to a capital
_CORE = expression(rb"(?<![A-Za-z0-9])(?=[A-Za-z]*+[0-9])(?=[0-9]*+[A-Za-z])[A-Za-z0-9]{16,}+")
_CHANGE = expression(rb"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]|(?<=[a-z])[A-Z]")
# Programs have names that begin with these, too.
_ORDINARY = frozenset(
    b"API- api- key- key_ sdk- mob- pat. sat. perm- rnd_ console- secret- secret_ v1.0-".split()
)


def key(
    kind: str,
    starts: str,
    rest: str,
    example: str,
    near_miss: str,
    *,
    mixed: bool = False,
    is_made_up: Callable[[bytes], bool] | None = None,
) -> Shape:
    """
    Declare a shape that begins with one of the words in `starts`, and not within a word.

    `rest` is what follows in the keys that are known; what looks random is accepted as well.
    `is_made_up` is whether a rest is that of an example; plain words are, without it.
    """
    is_example = is_made_up or are_words
    # An expression that begins with a literal is found many times faster. So what they share comes
    # first, and what is before is checked last: `task-` is not `sk-`.
    words = starts.split()
    shared = commonprefix(words)  # noqa: RUF071 - these are no paths
    ends = [f"{re.escape(word[len(shared) :])}{begins(word)}" for word in words]
    begin = f"(?:{'|'.join(ends)})" if len(ends) > 1 else ends[0]
    prefixes = tuple(word.encode() for word in sorted(words, key=len, reverse=True))

    def accepts(_: bytes, match: re.Match[bytes]) -> bool:
        found = match[0]
        prefix = next(prefix for prefix in prefixes if found.startswith(prefix))
        after = found[len(prefix) :]
        if is_example(after) or found.endswith(b"EXAMPLE"):
            return False
        if match.string.endswith(b"redacted-", 0, match.start()):
            return False  # the kind of a placeholder, with what is behind it: `redacted-secret-2x9`
        return compiled(rest.encode()).fullmatch(after) is not None or (
            _is_telling(prefix) and _is_random(after)
        )

    loose = f"|{_RANDOM}" if any(map(_is_telling, prefixes)) else ""
    regex = f"{re.escape(shared)}{begin}(?:{rest}{loose})"
    return shape(kind, starts, regex, example, near_miss, mixed=mixed, accepts=accepts, is_key=True)


def _is_telling(start: bytes) -> bool:
    return len(start) >= _LEAST_START and not start[-1:].isalnum() and start not in _ORDINARY


def _is_random(rest: bytes) -> bool:
    core = _CORE.search(rest)
    return core is not None and len(_CHANGE.findall(core[0])) >= _LEAST_CHANGES


def are_words(rest: bytes) -> bool:
    """Whether what follows is plain words, as in documents: `your-key-goes-here`, `xxxxxxxx`."""
    return _WORDS.fullmatch(rest) is not None
