"""
What is left in a redacted record although it looks odd: a person should look at it.

Not an alarm: most of it is an id or a hash. Words that are the value of a field for ids are passed
over, and so are UUIDs.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.redactor import texts_beside
from acp_spy.wire.frame import Frame
from acp_spy.wire.json_text import is_json, leaves, unescaped
from acp_spy.wire.pointer import spell

_MOST = 10_000  # values that are kept
_LONGEST_TEXT = 1024 * 1024  # bytes of one text that are looked at
_RANDOM = expression(rb"(?<![\w+/=.-])[A-Za-z0-9_+/=.-]{20,200}+(?![\w+/=-])")
_CORE = expression(
    r"(?<![A-Za-z0-9+/])(?=[A-Za-z+/]*+[0-9])(?=[0-9+/]*+[A-Za-z])[A-Za-z0-9+/]{14,}+"
)
_UUID = expression(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EMAIL = expression(rb"[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,12}")
_HOME = expression(rb"(?<![\w.-])(?:/home|/Users)/(?!dev[0-9]*\b)[\w.-]{1,64}")
_ID = expression(r"(?:^|_|[a-z])[iI][dD]s?$|^ID$")
_LEAST_ENTROPY = 3.5  # bits per character


class Odd(msgspec.Struct):
    """A value that looks odd: what it seems to be, how often it is there, and where first."""

    text: str
    what: str
    place: str
    hint: str = ""
    count: int = 0


class OddValues:
    """Feed it redacted records; it keeps what looks odd in them, each value once."""

    def __init__(self) -> None:
        self._seen: dict[str, Odd] = {}
        self._ids: set[str] = set()

    def feed(self, record: Record, place: str) -> None:
        """Take in a record, which is at `place`."""
        if isinstance(record, Header):
            for name in ("tool", "cwd", "note"):
                self._look(getattr(record, name).encode(errors="replace"), f"{place}, {name}")
            self._look(" ".join(record.command).encode(errors="replace"), f"{place}, command")
            return
        for _, text in texts_beside(record):
            self._look(text.encode(errors="replace"), place)
        raw = record.raw if isinstance(record, Frame | Stderr | Delivery) else None
        if raw and _may_be_odd(raw):
            self._look_in_line(raw, place)

    def found(self) -> list[Odd]:
        """Return what is odd, the most places of a kind last: what is rare is less likely an id."""
        odd = [each for each in self._seen.values() if each.text not in self._ids]
        return sorted(odd, key=lambda each: (not each.hint, each.what, each.count))

    def _look_in_line(self, raw: bytes, place: str) -> None:
        if not is_json(raw):
            self._look(raw, place)
            return
        for leaf in leaves(raw):
            if not leaf.is_string or (not leaf.is_name and not leaf.path):
                continue
            text = unescaped(raw[leaf.start : leaf.end])
            if not leaf.is_name and isinstance(leaf.path[-1], str) and _ID.search(leaf.path[-1]):
                if len(self._ids) < _MOST:
                    self._ids.add(text.decode(errors="replace"))
            elif _may_be_odd(text):
                self._look(text, f"{place} at {spell(*leaf.path)}")

    def _look(self, text: bytes, place: str) -> None:
        for what, value in _odd_in(text[:_LONGEST_TEXT]):
            if value not in self._seen:
                if len(self._seen) >= _MOST:
                    return
                hint = "add `--home` to replace it" if what == "a home folder" else ""
                self._seen[value] = Odd(value, what, place, hint)
            self._seen[value].count += 1


def _may_be_odd(text: bytes) -> bool:
    return any(pattern.search(text) for pattern in (_RANDOM, _EMAIL, _HOME))


def _odd_in(text: bytes) -> Iterator[tuple[str, str]]:
    for match in _HOME.finditer(text):
        yield "a home folder", match[0].decode(errors="replace")
    for match in _EMAIL.finditer(text):
        if PLACEHOLDER.match(match[0]):
            continue  # of the password in a URL
        yield "an e-mail address", match[0].decode(errors="replace")
    for match in _RANDOM.finditer(text):
        word = match[0].strip(b".-").decode(errors="replace")
        for part in word.split("/") if word[:1] in ("/", "~") else [word]:
            if _is_random(part):
                yield "random letters and digits", part


def _is_random(word: str) -> bool:
    core = _CORE.search(word)
    if not core or _UUID.search(word) or PLACEHOLDER.search(word.encode()):
        return False
    if core[0].count("/") > 1 and not re.search(r"[0-9].*[A-Z].*[a-z]", core[0]):
        return False  # a path
    counts = Counter(core[0])
    bits = -sum(n / len(core[0]) * math.log2(n / len(core[0])) for n in counts.values())
    return bits >= _LEAST_ENTROPY or (len(word) >= 32 and bits > 3.0)
