"""
Texts in another encoding within a text: base64, and UTF-16 with a zero byte beside each letter.

Not every run of letters is decoded: only those that have one of a few words in them, as base64
spells it. Each word has three spellings, by where in three bytes it begins.
"""

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator

# Of which one is in most settings, tokens and keys that somebody has encoded.
_WORDS = (
    *(b"passw", b"Passw", b"PASSW", b"secret", b"SECRET", b"token", b"TOKEN", b"api_key"),
    *(b"API_KEY", b"PRIVATE KEY", b"sk-ant-", b"sk-proj-", b"ghp_", b"github_pat_", b'"auths"'),
)
ENCODED = re.compile(rb"[A-Za-z0-9+/_-]{20,8192}+={0,2}")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_READABLE = re.compile(rb"[\t\n\r -~]{12,}")
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){8,}+|(?:\0[\t\n\r -~]){8,}+")


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
