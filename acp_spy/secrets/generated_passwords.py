"""
Generated passwords without quotes: where one ends, whatever signs it has.

A sign that ends a word in a program may be in the middle of a password: `k8]Sj"2(pL`. So the word
is read up to the next blank, or up to what closes a quote or a bracket that was opened before it,
and is one if letters, digits and signs change as in no program.
"""

import re

from acp_spy.secrets.expressions import SPELLED_ESCAPE, expression

_LONGEST = 256
_LONGEST_LINE_START = 400
_LONGEST_LINE = 4096  # before a command
# An escape is where a bare value ends, and so is the next pair of a list.
IN_BARE = (
    rb"\\(?![nrtu\"'`\\\s]|%b|\Z)|\\\\(?![\"'nrt]|%b)"
    rb"|%%(?!(?:25)?(?:22|(?:26|3[Bb]|0[AaDd])(?:[\s\"'&]|\Z|%%(?:25)?0[AaDd]|[\w.-]{1,40}(?:[=:]|%%(?:25)?3[AaDd]))))"
    rb"|&(?!quot;|lt;|gt;|amp;(?:[\w.-]{1,40}=|[\s\"'<]|\Z)|#[0-9xX]|[\w.-]{1,40}=)"
    rb"|;(?![\s;]|$|[\w.-]{1,40}=|[A-Za-z]{1,20}(?: [A-Za-z]{1,20}){1,2}=)"
    rb"|,(?![\s,]|$|[\w.-]{1,40}[=:])|\|(?!\s|$)" % (SPELLED_ESCAPE, SPELLED_ESCAPE)
)
# What is in a bare value, and the signs that end a word in a program.
_GENERATED = expression(
    rb"(?:[^\s\0<\\&;,|%%\x1b]|%b|[,;](?=[,;]+\w)|<(?!/?[A-Za-z][A-Za-z0-9-]{0,20}(?:\s[^<>\n]{0,200})?/?>))*+"
    % IN_BARE
)
_ENDS_OF_WORDS = frozenset(b"\"'`<>()[]{}")
_QUOTE_SIGNS = b"\"'`"
_QUOTES = frozenset(_QUOTE_SIGNS)
_ESCAPED = expression(rb"\\*[\"'`nrt]")
_SEPARATORS = frozenset(b",;|\\")  # which a table or a list may have between its items
_CLOSING = b".,;:!?\"'`)]}>"
# The end of a string in JSON, and what follows it there; a piece of a text may begin in the string.
_NEXT_IN_JSON = expression(rb"\\{0,7}\"[}\]]{0,8}[,:][{\[]{0,8}(?:\\{0,7}\"|\Z)")
_BRACKETS = {b")": b"(", b"]": b"[", b"}": b"{", b">": b"<"}
_OPENED_BY = {ord(closing): ord(opening) for closing, opening in _BRACKETS.items()}
# No apostrophe; a quote with its backslashes is that of a string in a string.
_OPENING = expression(rb"(?<![\w\\])'|'(?!\w)|(?<!\\)\\*+[\"`]|[([{<|]")
_KINDS = (
    expression(rb"[a-z]"),
    expression(rb"[A-Z]"),
    expression(rb"[0-9]"),
    expression(rb"[^\w\s]"),
)
_CHANGE = expression(rb"(?<=[a-z_])[^a-z_]|(?<=[0-9])[^0-9]|(?<=[A-Z])[^A-Za-z_]|(?<=\W)\w")
_LEAST = 8
_LEAST_KINDS = 3
_LITERAL = expression(rb"[^\w\s]*[bfruBFRU]{0,2}[\"'`]")
# `re.compile(r"`, `ENV["`: what is in the literal is no matter.
_CALL = expression(
    rb"[A-Za-z_$]++[0-9]{0,3}(?:(?:\.|::|->)[A-Za-z_$]++[0-9]{0,3})*+[(\[][bfruBFRU]{0,2}[\"'`]"
)
_LONG_WORD = expression(rb"[a-z]{5}|[A-Z]{5}")
_DIGIT = expression(rb"[0-9]")
_WORD = expression(rb"(?<!\S)(?:[\w.-]++[:=]++)?(?P<value>\S++)(?=\s)")  # perhaps with its name
# How many of its characters are of another kind than the one before.
_LEAST_CHANGES = 0.25
_LEAST_IN_CODE = 0.4
_LEAST_WITH_WORDS = 0.5


def end_of_generated(text: bytes, at: int, end: int, *, is_alone: bool = False) -> int:
    """
    Return where the word at `at` ends: after `end`, if it is a password that goes on there.

    With `is_alone`, it is no item of a table or a list.
    """
    if (
        end >= len(text)
        or text[at] in _QUOTES
        or not (text[end] in _ENDS_OF_WORDS or (is_alone and text[end] in _SEPARATORS))
    ):
        return end
    word = _GENERATED.match(text, at, at + _LONGEST)
    if word is None or not _LEAST <= len(word[0]) < _LONGEST:
        return end
    value = until_closed(text, at, word[0], end - at) or b""
    if following := _NEXT_IN_JSON.search(value, end - at):
        value = value[: following.start()]
    if b"redacted-" in value:  # what an earlier run has left beside a placeholder
        return end
    length = len(value.rstrip(_CLOSING))
    return at + length if length > end - at and is_generated(value) else end


def without_escape(text: bytes, start: int, end: int) -> int:
    """Return where a value ends, without the backslashes of a quote or a line end after it."""
    if text[end - 1 : end] == b"\\" and _ESCAPED.match(text, end):
        return start + len(text[start:end].rstrip(b"\\"))
    return end


def until_closed(text: bytes, at: int, word: bytes, least: int) -> bytes | None:
    """
    Return the `word` at `at` up to what closes a quote, a bracket or a cell opened before it.

    Its first `least` bytes have nothing of the kind. `None` if the line is too long to tell.
    """
    first = max(0, at - _LONGEST_LINE_START)
    line_start = text.rfind(b"\n", first, at) + 1
    if first and not line_start:
        return None
    for closing in _closing_signs(text[line_start:at]):
        if (closed := word.find(closing, least)) >= 0:
            word = word[:closed]
    return word


def end_of_string(text: bytes, at: int, limit: int) -> int:
    """Return where the string ends in which `at` is, if it began in the same line; or `limit`."""
    first = max(0, at - _LONGEST_LINE)
    line_start = text.rfind(b"\n", first, at) + 1
    if first and not line_start:
        return limit
    quotes = _open_quotes(_OPENING.findall(_without_passwords(text[line_start:at])))
    return min(
        (end for quote in quotes if (end := text.find(quote, at, limit)) >= 0), default=limit
    )


def _open_quotes(signs: list[bytes]) -> list[bytes]:
    return [sign for sign in set(signs) if sign[-1:] in _QUOTE_SIGNS and signs.count(sign) % 2]


def _closing_signs(line: bytes) -> list[bytes]:
    """Return what closes the quotes, brackets and cells that are open at the end of `line`."""
    if not _OPENING.search(line):
        return []
    line = _without_passwords(line)
    signs = _OPENING.findall(line)
    quotes = _open_quotes(signs)
    brackets = [
        closing
        for closing, opening in _BRACKETS.items()
        if line.count(opening) > line.count(closing)
    ]
    return quotes + brackets + [b"|"] * (b"|" in signs)


def _without_passwords(line: bytes) -> bytes:
    """Return a line without the signs that are in other passwords: they open nothing."""
    return _WORD.sub(_without_password, line)


def _without_password(word: re.Match[bytes]) -> bytes:
    """Return what is around a password: a quote at its end closes one that was opened before."""
    value = word["value"]
    inner = value.lstrip(_QUOTE_SIGNS).rstrip(_CLOSING)
    if not is_generated(inner):
        return word[0]
    start = value.find(inner)
    return value[:start] + value[start + len(inner) :]


def is_generated(value: bytes) -> bool:
    """Whether letters, digits and signs change as in no program: `k8]Sj"2(pL`."""
    if (
        len(value) < _LEAST
        or _LITERAL.match(value)
        or _CALL.match(value)
        or not _DIGIT.search(value)
        or sum(kind.search(value) is not None for kind in _KINDS) < _LEAST_KINDS
    ):
        return False
    share = len(_CHANGE.findall(value)) / len(value)
    if not _may_be_code(value):
        return share >= _LEAST_CHANGES
    return share >= (_LEAST_WITH_WORDS if _LONG_WORD.search(value) else _LEAST_IN_CODE)


def _may_be_code(value: bytes) -> bool:
    """Whether no bracket is closed that was not opened, no quote is open, no word after either."""
    opened = bytearray()
    is_closed = False
    for sign in value:
        if is_closed and chr(sign).isalnum():
            return False
        is_closed = False
        if opened and opened[-1] in b"\"'`":
            if sign == opened[-1]:
                opened.pop()
                is_closed = True
        elif sign in _OPENED_BY:
            if not opened or opened.pop() != _OPENED_BY[sign]:
                return False
            is_closed = sign != ord(b">")
        elif sign in b"\"'`([{<":
            opened.append(sign)
    return not opened or opened[-1] in b"([{"
