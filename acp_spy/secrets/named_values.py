"""A text that is a secret as a whole, a word of a command line, lines of variables or headers."""

import re
from collections.abc import Iterator

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import is_our_placeholder, is_placeholder
from acp_spy.secrets.secret import Secret, secret_at
from acp_spy.secrets.secret_names import (
    Strength,
    is_secret_name,
    secret_in_word,
    strength_of,
    takes_secret,
)
from acp_spy.secrets.values import Certainty, is_value, looks_random

_SCHEME = expression(rb"(?:bearer|basic|token)\s+", re.IGNORECASE)
_PATH = expression(rb"[a-z]+://[^/?#]*([^?#]*)")
_PART = expression(rb"[^/]{16,}")
_VARIABLE = expression(rb"[A-Z][A-Z0-9_]+")
_RANDOM = expression(
    rb"(?![0-9a-f]{1,31}\Z|[0-9a-f]{40}\Z)"
    rb"(?=[\w-]*?[A-Za-z0-9]{16}|[A-Za-z0-9+/]{22,}={1,2}\Z)[\w+/=-]{16,200}"
)
_LIST_END = expression(rb"\"[ \t\r\n]*+\]")
_LINES = {
    "env": expression(rb"^[ \t]*+(?:export[ \t]++)?([\w.-]++)=([^\r\n]+)", re.MULTILINE),
    "header": expression(rb"^[ \t]*+([A-Za-z][A-Za-z0-9-]*):[ \t]*+([^\r\n]+)", re.MULTILINE),
}


def all_of(text: bytes, kind: str = "value", *, is_named: bool = False) -> list[Secret]:
    """Return all of `text` as a secret, but for `Bearer` and the like; nothing if it is none."""
    start = _after_scheme(text, 0)
    is_none = is_our_placeholder if kind == "value" else is_placeholder
    if is_none(text[start:]):
        return []
    return [secret_at(text, start, len(text), kind, is_named=is_named)]


def in_lines(text: bytes, kind: str) -> Iterator[Secret]:
    """Give the secrets in `NAME=value` (kind `env`) or `Name: value` (`header`), line by line."""
    if not kind:
        return
    found = list(_LINES[kind].finditer(text))
    for line in found:
        start, end = line.span(2)
        if kind == "header":
            start = _after_scheme(text, start)
        elif len(found) == 1:  # a variable may have many lines
            end = len(text.rstrip())
        if not is_placeholder(text[start:end]):
            is_named = is_secret_name(line[1].decode())
            yield secret_at(text, start, end, kind, is_named=is_named)


def in_server_url(url: bytes) -> Iterator[Secret]:
    """Give the parts of a URL's path that are random: who knows them may use the server."""
    if path := _PATH.match(url):
        for part in _PART.finditer(url, *path.span(1)):
            if is_value(part[0], Certainty.KEY):
                yield secret_at(url, *part.span(), "url-path")


def in_word(raw: bytes, before: str) -> Iterator[Secret]:
    """Give the secret in a word of a command line; `before` is the word before it."""
    # Latin-1 gives one character for each byte; names are ASCII anyway.
    word = raw.decode("latin-1")
    span = secret_in_word(word, before)
    if span is None and takes_secret(before) and not word.startswith("-"):
        span = (0, len(raw))
    if span is None and before in ("-k", "-t") and _is_key(raw):
        span = (0, len(raw))
    if span:
        start, end = _after_scheme(raw, span[0]), span[1]
        if not is_placeholder(raw[start:end]):
            yield secret_at(raw, start, end, "secret", is_named=True)


def _is_key(word: bytes) -> bool:
    """Whether a word after `-k` or `-t` is a key or a token, not a commit or the name of a test."""
    return (
        _RANDOM.fullmatch(word) is not None and looks_random(word) and is_value(word, Certainty.KEY)
    )


def in_pair(raw: bytes, end: int, first: bytes, text: bytes) -> list[Secret]:
    """
    Return the secret in `["NAME", "value"]`: `first`, and `text`, which ends at `end` of `raw`.

    The name is a variable: in a list of small words, one says nothing about the next.
    """
    if not _VARIABLE.fullmatch(first) or not _LIST_END.match(raw, end):
        return []
    name = first.decode()
    if not is_secret_name(name) or _VARIABLE.fullmatch(text):
        return []
    is_password = strength_of(name) is Strength.PASSWORD
    if not is_value(text, Certainty.PASSWORD if is_password else Certainty.KEY):
        return []
    return all_of(text, "secret", is_named=True)


def _after_scheme(text: bytes, start: int) -> int:
    scheme = _SCHEME.match(text, start)
    return scheme.end() if scheme else start
