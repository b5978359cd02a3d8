"""
Texts in another form within a text: base64, UTF-16 with a zero byte beside each letter, and
letters with colors or invisible characters between them, as `grep --color` prints a match.

Not every run of letters is decoded: only those that have one of a few words in them, as base64
spells it. Each word has three spellings, by where in three bytes it begins.
"""

import re
import sys
from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect
from collections.abc import Iterator

# Of which one is in most settings, tokens and keys that somebody has encoded.
_WORDS = (
    *(b"passw", b"Passw", b"PASSW", b"secret", b"SECRET", b"token", b"TOKEN", b"api_key"),
    *(b"API_KEY", b"PRIVATE KEY", b"sk-ant-", b"sk-proj-", b"ghp_", b"github_pat_", b'"auths"'),
)
ENCODED = rb"[A-Za-z0-9+/_-]{20,8192}+={0,2}"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_READABLE = re.compile(rb"[\t\n\r -~]{12,}")
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){8,}+|(?:\0[\t\n\r -~]){8,}+")


# A color or the like, a zero-width character, a soft hyphen.
_INVISIBLE = re.compile(
    rb"(?:\x1b\[[0-9;]{0,20}[A-Za-z]|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xc2\xad)++"
)
_ESCAPED_MARKS = (rb"\u001b", rb"\u001B", rb"\u200", rb"\u00ad", rb"\u00AD")
_MARKS = (
    *(b"\xc2\xad", b"\xe2\x81\xa0"),
    *(b"\xe2\x80" + bytes([last]) for last in range(0x8B, 0x90)),
)
_ESCAPED_INVISIBLE = re.compile(
    rb"(?:(?:\\u001[bB]|\x1b)\[[0-9;]{0,20}[A-Za-z]|\\u200[b-fB-F]|\\u00[aA][dD]"
    rb"|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xc2\xad)++"
)


def _spelled(word: bytes, before: int) -> bytes:
    """Return what of the base64 of `word`, so many bytes after a group of three, is certain."""
    first = -(-before * 8 // 6)  # the character that is the first to be all of the word
    last = (before + len(word)) * 8 // 6
    return b64encode(b"\0" * before + word)[first:last]


KEYWORDS = tuple(_spelled(word, before).decode() for word in _WORDS for before in range(3))


def decoded(run: bytes) -> bytes:
    """Return what a run of letters says if it is readable text in base64; else nothing."""
    letters = run.rstrip(b"=").translate(_URL_SAFE)
    try:
        text = b64decode(letters + b"=" * (-len(letters) % 4))
    except Error:
        return b""
    return text if _READABLE.fullmatch(text) else b""


def without_zeros(raw: bytes) -> bytes:
    """Return a line with letters of UTF-16 as those of ASCII, also if spelled as escapes."""
    if b"\\u0000" in raw:
        raw = raw.replace(b"\\u0000", b"")
    return raw.replace(b"\0", b"") if b"\0" in raw else raw


def wide_texts(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Give where in `text` UTF-16 begins, and the text in ASCII: half as many bytes."""
    if b"\0" in text:
        for wide in _WIDE.finditer(text):
            yield wide.start(), wide[0].replace(b"\0", b"")


def _may_hide(raw: bytes) -> bool:
    """Whether something invisible may be in `raw`: most lines need two quick looks."""
    return (
        b"\x1b" in raw
        or (b"\\u" in raw and any(mark in raw for mark in _ESCAPED_MARKS))
        or (not raw.isascii() and any(mark in raw for mark in _MARKS))
    )


def with_visible(raw: bytes) -> bytes:
    """Return a line, and after it what is seen of it if that is something else: to be searched."""
    if _may_hide(raw):
        visible = _ESCAPED_INVISIBLE.sub(b"", raw)
        return raw if visible == raw else b"%b\n%b" % (raw, visible)
    return raw


def visible_text(text: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Return what is seen of `text`, where something was cut out, and how much by then."""
    if not _may_hide(text):
        return text, []
    cuts: list[tuple[int, int]] = []
    parts: list[bytes] = []
    end = gone = 0
    for hidden in _INVISIBLE.finditer(text):
        parts.append(text[end : hidden.start()])
        end = hidden.end()
        gone += end - hidden.start()
        cuts.append((end - gone, gone))
    return b"".join((*parts, text[end:])), cuts


def place_before(cuts: list[tuple[int, int]], at: int, *, is_end: bool) -> int:
    """Return where in the whole text is what is at `at` of the visible one."""
    after = bisect(cuts, (at - is_end, sys.maxsize))
    return at + (cuts[after - 1][1] if after else 0)
