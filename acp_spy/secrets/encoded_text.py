"""
Texts in another form within a text: base64, hexadecimal digits, UTF-16 with a zero byte beside each
letter, letters with colors or invisible characters between them, as `grep --color` prints a match,
and a key in two halves: broken by a line end, or joined by a program as `"half" + "half"`.

Not every run of letters is decoded: only those that have one of a few words in them, as base64 or
hexadecimal digits spell it. In base64, each word has three spellings, by where in three bytes it
begins.
"""

import re
import sys
from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect
from collections.abc import Iterator, Sequence

from acp_spy.secrets.expressions import SPELLED_ESCAPE, expression
from acp_spy.secrets.values import looks_random

# Of which one is in most settings, tokens and keys that somebody has encoded.
_WORDS = (
    *(b"passw", b"Passw", b"PASSW", b"secret", b"SECRET", b"token", b"TOKEN", b"api_key"),
    *(b"API_KEY", b"PRIVATE KEY", b"sk-ant-", b"sk-proj-", b"ghp_", b"github_pat_", b'"auths"'),
    *(b"AKIA", b"glpat-", b"xoxb-", b"_PASS="),
)
# In lines of one length, as `base64` and `openssl` print it, or in one.
ENCODED = (
    rb"(?:(?:[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{60})\r?\n){1,200}"
    rb"[A-Za-z0-9+/]{1,76}={0,2}|[A-Za-z0-9+/_-]{20,131072}+={0,2}"
)
HEX = rb"(?<![0-9A-Fa-f])(?:(?:[0-9a-f]{2}){12,65536}+|(?:[0-9A-F]{2}){12,65536}+)(?![0-9A-Fa-f])"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_READABLE = expression(
    rb"[\x80-\xbf]{0,3}(?:[\a\b\t\n\f\r\x1b -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}"
    rb"|[\xf0-\xf4][\x80-\xbf]{3}){8,}+(?:[\xc2-\xf4][\x80-\xbf]{0,2})?"
)  # a letter may be cut at both ends
_WIDE = expression(rb"(?:[\t\n\r -~]\0){8,}+|(?:\0[\t\n\r -~]){8,}+")


# A color or the like, which a program may also spell, and what ends one in `screen`; a zero-width
# character, such as the mark at the beginning of a file, a soft hyphen. In a line of JSON they may
# be escaped.
_INVISIBLE = expression(
    rb"(?:(?:\x1b|\\{1,7}(?:%b|e))(?:\[[0-9;:]{0,40}[A-Za-z]|\([AB0]|[A-Z])"
    rb"(?:[\x0e\x0f]|\\{1,7}(?:u00|x)0[eEfF])?"
    rb"|\\u200[b-fB-F]|\\u00[aA][dD]|\\u[fF][eE][fF]{2}"
    rb"|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xc2\xad|\xef\xbb\xbf)++" % SPELLED_ESCAPE
)
# What switches a terminal to another mode, such as one without a cursor. It is no part of a text,
# and no color in one.
MODE = (
    rb"(?:\x1b|\\{1,7}(?:%b|e))\[(?:[<=>?!][0-9;:]{0,40}[ -/]?|[0-9;]{0,20}[ -/])[@-~]"
    % SPELLED_ESCAPE
)
_MODE = expression(MODE)
_ESCAPED_MARK = expression(rb"\\(?:%b|e\[|u200|u00[aA][dD]|u[fF][eE][fF])" % SPELLED_ESCAPE)
_MARKS = (
    *(b"\xc2\xad", b"\xe2\x81\xa0", b"\xef\xbb\xbf"),
    *(b"\xe2\x80" + bytes([last]) for last in range(0x8B, 0x90)),
)


Cut = tuple[int, int]  # where in what is left something was cut out, and how much by then

# Between the halves of a key: quotes that a program puts together, or a line end, which may also be
# spelled as an escape. It begins with a set of characters: so it is found many times faster.
_LINE_END = rb"(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,80}"
_PLUS = rb"(?:[ \t]{0,20}(?:\.\.|\|\||<>|[+.&,~])[ \t]{0,20}|[ \t]{1,20})"
_QUOTES = rb"(?:%b(?:%b)?|[ \t]{0,20}\\?%b(?:%b)?)?\\{0,7}[\"'`]" % (
    *(_PLUS, _LINE_END),
    *(_LINE_END, _PLUS),
)
_SEAM = expression(
    rb"[\"'`\\=\r\n](?<=[A-Za-z0-9_-]{6}[\"'`\\=\r\n])(?:(?<=[\"'`])%b|(?<=\\)\\{0,6}[\"'`]%b"
    rb"|(?<=[=\\])%b|(?<=\\)(?:\\{0,6}r\\{1,7})?\\{0,6}n[ \t]{0,80}"
    rb"|(?:(?<=\r)\n|(?<=\n))[ \t]{0,80})(?=[A-Za-z0-9_-]{4})" % (_QUOTES, _QUOTES, _LINE_END)
)
_QUOTE_OR_MARK = expression(rb"[\"'`]|=|\\\r?\n|\\{3}[nr]")
# A JWT has dots in it, before or after more letters than are beside one in most names.
_HALF = expression(
    rb"[A-Za-z0-9_-]{4,}+(?:(?<=[A-Za-z0-9_-]{16})\.[A-Za-z0-9_-]{8,}+|\.[A-Za-z0-9_-]{16,}+)?"
    rb"(?![\w.:/=(\[@-])"
)
# Items of a list, or arguments, that are put together without anything between them.
_PUTS_TOGETHER = expression(
    rb"(?:(?i:concat)\(|(?:\"\"|''|(?:\\{1,7}\"){2})\.join\([\[(]"
    rb"|(?:implode|join)\((?:''|\"\"),[ ]?[\[(]"
    rb"|(?:%s){2,9}\\{0,7}[\"'][ ]?%[ ]?\(|(?:\{\}){2,9}\\{0,7}[\"']\.format\()\Z"
)
_LONGEST_CALL = 40
_PUT_TOGETHER = expression(
    rb"[\w\s\"'`,\\-]{0,400}+\]\s{0,40}\.join\((?:''|\"\"|(?:\\{1,7}\"){2})\)"
)
_LONGEST_ITEMS = 400
_LEAST_OF_ADJACENT = 8
IN_KEYS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_IN_LINES = IN_KEYS + b"."
_IS_MIXED = expression(rb"(?=[^0-9]*+[0-9])[^A-Za-z]*+[A-Za-z]")
LEAST_OF_LINE = 60  # before a screen breaks it
_LEAST_OF_SHORT_LINE = 12  # that has nothing else in it
_ENDS_LINE = expression(rb"\\{0,7}(?:[\r\n\"]|(?<=\\)[rn]|$)")


def letters_in_base64(word: bytes, before: int) -> bytes:
    """Return what of the base64 of `word`, so many bytes after a group of three, is certain."""
    first = -(-before * 8 // 6)  # the character that is the first to be all of the word
    last = (before + len(word)) * 8 // 6
    return b64encode(b"\0" * before + word)[first:last]


HEX_KEYWORDS = tuple({form: 0 for word in _WORDS for form in (word.hex(), word.hex().upper())})
BASE64_KEYWORDS = tuple(
    letters_in_base64(word, before).decode() for word in _WORDS for before in range(3)
)


def all_decoded(text: bytes) -> bytes | None:
    """Return what a text says if all of it is base64, as a program has made it; else nothing."""
    try:
        return b64decode(text, validate=True)
    except Error:
        return None


def decoded(run: bytes) -> bytes:
    """Return what a run of letters says if it is readable text in base64; else nothing."""
    letters = run.rstrip(b"=").translate(_URL_SAFE, b"\r\n")
    try:
        text = b64decode(letters + b"=" * (-len(letters) % 4))
    except Error:
        return b""
    return text if _READABLE.fullmatch(text) else b""


def hex_decoded(run: bytes) -> bytes:
    """Return what hexadecimal digits say if it is readable text; else nothing."""
    text = bytes.fromhex(run[: len(run) // 2 * 2].decode())  # a copy may be cut in the midst
    return text if _READABLE.fullmatch(text) else b""


def with_zeros_apart(raw: bytes) -> bytes:
    """
    Return a line, and after it with letters of UTF-16 as those of ASCII: to be searched.

    A zero byte may also be between two texts, as in `/proc/self/environ`; it may be escaped.
    """
    if b"\0" not in raw and b"\\u0000" not in raw:
        return raw
    zeros = raw.replace(b"\\u0000", b"\0")
    return b"%b\n%b" % (zeros.replace(b"\0", b" "), zeros.replace(b"\0", b""))


def wide_texts(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Give where in `text` UTF-16 begins, and the text in ASCII: half as many bytes."""
    if b"\0" in text:
        for wide in _WIDE.finditer(text):
            yield wide.start(), wide[0].replace(b"\0", b"")


def _may_hide(raw: bytes) -> bool:
    """Whether something invisible may be in `raw`: most lines need a few quick looks."""
    return (
        b"\x1b" in raw
        or _ESCAPED_MARK.search(raw) is not None
        or (not raw.isascii() and any(mark in raw for mark in _MARKS))
    )


def with_visible(raw: bytes) -> bytes:
    """Return a line, and after it what is seen of it if that is something else: to be searched."""
    if _may_hide(raw):
        visible = _INVISIBLE.sub(b"", _MODE.sub(b" ", raw))
        return raw if visible == raw else b"%b\n%b" % (raw, visible)
    return raw


def visible_text(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return what is seen of `text`, and where something was cut out."""
    if not _may_hide(text):
        return text, []
    return without(text, [hidden.span() for hidden in _INVISIBLE.finditer(text)])


def joined_text(text: bytes) -> tuple[bytes, list[Cut]]:
    """Return `text` without what is between the halves of a key, and where that was cut out."""
    return without(text, [seam.span() for seam in _SEAM.finditer(text) if _is_seam(text, seam)])


def with_joined(raw: bytes) -> bytes:
    """Return a line, and after it what it is if the halves of keys are joined: to be searched."""
    joined, cuts = joined_text(raw)
    return b"%b\n%b" % (raw, joined) if cuts else raw


def _is_seam(text: bytes, seam: re.Match[bytes]) -> bool:
    """Whether what is around is not words; a line must be as long as one that a screen breaks."""
    before = text[max(0, seam.start() - LEAST_OF_LINE) : seam.start()]
    after = _HALF.match(text, seam.end())
    if not after or not is_mixed(after[0]) or not is_mixed(end_of_key(before)):
        return False
    if _QUOTE_OR_MARK.search(seam[0]):
        return _is_joined(text, seam, after[0])
    if len(before) == LEAST_OF_LINE and b"\n" not in before and b"\\n" not in before:
        return True
    return _is_line_of_key(before, after)


def _is_joined(text: bytes, seam: re.Match[bytes], half: bytes) -> bool:
    """Whether a program joins what is around quotes: two items or two words may be apart."""
    if b"," in seam[0]:
        return _is_in_call(text, seam.start()) or _PUT_TOGETHER.match(text, seam.end()) is not None
    if b" " in seam[0] and not seam[0].strip(b" \t\"'`\\"):  # of C
        return len(half) >= _LEAST_OF_ADJACENT and looks_random(half)
    return True


def _is_in_call(text: bytes, at: int) -> bool:
    """Whether the bracket before `at` is that of a call which puts its arguments together."""
    first = max(0, at - _LONGEST_ITEMS)
    opened = max(text.rfind(b"(", first, at), text.rfind(b"[", first, at)) + 1
    begin = max(0, opened - _LONGEST_CALL)
    return opened > 0 and _PUTS_TOGETHER.search(text, begin, opened) is not None


def _is_line_of_key(before: bytes, after: re.Match[bytes]) -> bool:
    """Whether both lines are nothing but a part of a key, the second no longer than the first."""
    line = before[len(before.rstrip(_IN_LINES)) :]
    around = before[: len(before) - len(line)].rstrip(b" \t")[-2:]
    is_whole = not around or around[-1:] in (b"\n", b'"') or around == rb"\n"
    if around == b"\\" or (around[-1:] == b"\\" and line[:1] == b"n"):
        line, is_whole = line[1:], True  # the end of an escaped line end
    return (
        is_whole
        and len(line) >= _LEAST_OF_SHORT_LINE
        and len(after[0]) <= len(line)
        and _ENDS_LINE.match(after.string, after.end()) is not None
    )


def is_line_of_key(line: bytes) -> bool:
    """Whether a line has nothing but what may be a part of a key, and is not a word."""
    bare = line.rstrip(b"\r\n")
    return len(bare) >= _LEAST_OF_SHORT_LINE and not bare.strip(IN_KEYS) and is_mixed(bare)


def ends_with_key(text: bytes) -> bool:
    """Whether `text` ends with what may be the first part of a key."""
    return is_mixed(end_of_key(text))


def is_mixed(text: bytes) -> bool:
    """Whether a letter and a digit are in `text`."""
    return _IS_MIXED.match(text) is not None


def end_of_key(text: bytes) -> bytes:
    """Return what at the end of `text` may be a part of a key."""
    return text[len(text.rstrip(IN_KEYS)) :]


def without(text: bytes, spans: Sequence[tuple[int, int]]) -> tuple[bytes, list[Cut]]:
    """Return `text` without what is at these places, and where that was cut out."""
    cuts: list[Cut] = []
    parts: list[bytes] = []
    last = gone = 0
    for start, end in spans:
        parts.append(text[last:start])
        last = end
        gone += end - start
        cuts.append((end - gone, gone))
    return b"".join((*parts, text[last:])), cuts


def place_before(cuts: list[Cut], at: int, *, is_end: bool) -> int:
    """Return where in the whole text is what is at `at` of what is left."""
    after = bisect(cuts, (at - is_end, sys.maxsize))
    return at + (cuts[after - 1][1] if after else 0)
