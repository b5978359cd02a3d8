"""
What a shape is: the look by which a kind of secret is known anywhere.

Each shape has an example, and a near miss that must be left alone. Nothing here looks like a key
itself, lest other tools that search for keys stop at this file: in the examples `<36>` stands for
36 letters and digits, `<hex 32>` for hexadecimal digits, `<upper 16>` for capitals and digits.

Every expression is linear: a run either matches and is passed at one go, or fails after as many
bytes as it lacks. So it begins with literals and has no two unbounded runs beside each other.
"""

import re
from os.path import commonprefix

import msgspec


class Shape(msgspec.Struct, frozen=True):
    """
    A kind of secret that is known by its look.

    `keywords` are bytes of which one is in every such secret: a line without any needs no closer
    look. The secret is the expression's first group, or else all that it matches. With `mixed`,
    it must hold a letter and a digit: words are none.
    """

    kind: str
    keywords: tuple[bytes, ...]
    regex: re.Pattern[bytes]
    example: str
    near_miss: str
    mixed: bool = False


def shape(
    kind: str,
    keywords: str | tuple[str, ...],
    regex: str,
    example: str,
    near_miss: str,
    *,
    mixed: bool = False,
) -> Shape:
    """Declare a shape; `keywords` may be words with blanks between them."""
    words = keywords.split() if isinstance(keywords, str) else keywords
    compiled = re.compile(regex.encode(), re.DOTALL)
    return Shape(kind, tuple(map(str.encode, words)), compiled, example, near_miss, mixed)


def key(
    kind: str, starts: str, rest: str, example: str, near_miss: str, *, mixed: bool = False
) -> Shape:
    """Declare a shape that begins with one of the words in `starts`, and not within a word."""
    # An expression that begins with a literal is found many times faster. So what they share comes
    # first, and what stands before is looked at last: `task-` is not `sk-`.
    words = starts.split()
    shared = commonprefix(words)  # noqa: RUF071 - these are no paths
    ends = [f"{re.escape(word[len(shared) :])}(?<![A-Za-z0-9]{re.escape(word)})" for word in words]
    begin = f"(?:{'|'.join(ends)})" if len(ends) > 1 else ends[0]
    return shape(kind, starts, re.escape(shared) + begin + rest, example, near_miss, mixed=mixed)
