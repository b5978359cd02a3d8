"""
Text that a peer has sent, or a name that somebody has chosen: shown and not obeyed.

The one place that decides how such text is printed, on stdout as on stderr. What a terminal would
obey is spelled out, and so is what a reader cannot see, and what a CI takes for a command.
"""

import re
from functools import lru_cache

# Letters and marks that are not seen. Not U+FE0E and U+FE0F: they follow half of all emoji.
_NOT_SEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0d\uffa0"
    "\U0001d159\U000e0100-\U000e01ef"
)
# `##[error]`, `##vso[...]`, `##teamcity[...]`: commands to a CI wherever they are in a line.
_CI_COMMAND = r"##(?=[A-Za-z]{0,20}\[)"
# Compiled at first use: the proxy loads this before the first message passes.
_ODD = f"[{_NOT_SEEN}]|{_CI_COMMAND}"
_NOT_PLAIN = rf"[^\n\t -~]|{_CI_COMMAND}"
# `::error::`, which is a command to GitHub at the beginning of a line, behind blanks.
_COMMAND_LINE = r"(?m)^([ \t]*):(?=:)"


def inert(text: str, but: str = "") -> str:
    """Return `text` with what acts or hides spelled out, except the characters in `but`."""
    if not text.isprintable():  # nearly all is
        text = "".join(c if c.isprintable() or c in but else ascii(c)[1:-1] for c in text)
    if not text.isascii() or "##" in text:
        text = re.sub(_ODD, _spelled, text)
    return inert_lines(text) if "\n" in but else text


def inert_bytes(data: bytes) -> bytes:
    """Return what a peer has written, in lines, for a terminal."""
    return inert(data.decode(errors="backslashreplace"), but="\n\t").encode()


def inert_lines(text: str) -> str:
    """Return lines that are inert already with none of them a command: they are for a log."""
    return re.sub(_COMMAND_LINE, r"\1\\x3a", text) if "::" in text else text


def inert_json(text: str) -> str:
    """Return JSON text that means the same: what acts or hides is in strings, and is escaped."""
    return re.sub(_NOT_PLAIN, _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return _escape(match[0])


@lru_cache(0x10000)  # a text may have nothing else, and nearly all have few of them
def _escape(character: str) -> str:
    if character == "##":
        return r"#\u0023"
    if inert(character) == character:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _spelled(match: re.Match[str]) -> str:
    character = match[0]
    return r"#\x23" if character == "##" else character.encode("unicode-escape").decode()
