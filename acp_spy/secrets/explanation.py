"""What was masked, where and why, and what was left although it looks odd: a person decides."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from acp_spy.capture.records import (
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Record,
    Stderr,
)
from acp_spy.secrets.file_report import MASK, excerpts
from acp_spy.secrets.odd_values import Odd, OddValues
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.secret import Secret
from acp_spy.units import counted
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

_PLACES_SHOWN = 3
_MOST_MASKED = 10_000  # secrets, each with its places; a capture of more is no longer read by eye
_MASKED_SHOWN = 100
_ODD_SHOWN = 20
_WIDTH = 74  # of a place with what is around it: most terminals have 80 columns
_LONGEST_POINTER = 30
_LONGEST = 60

# Why a place is masked, by the kind of what was there. All others are forms of a key.
_WHY = {
    "env": "a value in `env`",
    "header": "a value in `headers`",
    "login": "a parameter of a login",
    "account": "a field of an account",
    "secret": "a value with the name of a secret",
    "value": "matches `--key`, `--value` or `--path`",
    "person": "a home folder or a user name",
    "url-path": "a random part of the URL of an MCP server",
}


class _Masked(msgspec.Struct):
    why: str
    count: int = 0
    places: list[str] = msgspec.field(default_factory=list)


class Explanation:
    """Redacts records as `redactor` does, and keeps what there is to tell about it."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        redactor.on_replace = self._note
        self._masked: dict[str, _Masked] = {}
        self._odd = OddValues()
        self._place = ""

    def record(self, record: Record) -> Record:
        """Return `record` without its secrets."""
        self._place = _place_of(record)
        done = self._redactor.record(record)
        self._odd.feed(done, self._place)
        return done

    def lines(self) -> Iterator[str]:
        """Give what people read, when all records have been redacted."""
        total = sum(self._redactor.counts.values())
        if total:
            yield f"Masked: {counted(total, 'place')}, {counted(len(self._masked), 'value')}"
        else:
            yield "Masked: nothing"
        for placeholder, masked in islice(self._masked.items(), _MASKED_SHOWN):
            yield f"  {placeholder}: {masked.why}, {counted(masked.count, 'place')}"
            yield from (f"    {place}" for place in masked.places)
            if masked.count > len(masked.places):
                yield f"    and {masked.count - len(masked.places)} more"
        if len(self._masked) > _MASKED_SHOWN:
            yield f"  and {counted(len(self._masked) - _MASKED_SHOWN, 'more value')}"
        odd = self._odd.found()
        yield f"Left, although it looks odd: {counted(len(odd), 'value') if odd else 'nothing'}"
        for each in odd[:_ODD_SHOWN]:
            yield from _about(each)
        if len(odd) > _ODD_SHOWN:
            yield f"  and {len(odd) - _ODD_SHOWN} more"
        if odd:
            yield "To mask one of these as well: add `--value REGEX`, or `--key NAME`"

    def _note(self, raw: bytes, found: Sequence[Secret], replacements: list[bytes]) -> None:
        around = excerpts(raw, found)
        for secret, replacement, shown in zip(found, replacements, around, strict=True):
            if not secret.is_continuation:
                self._note_one(secret, replacement.decode(errors="replace"), shown)

    def _note_one(self, secret: Secret, name: str, shown: str) -> None:
        if name not in self._masked and len(self._masked) >= _MOST_MASKED:
            return
        why = _WHY.get(secret.kind, f"has the form of {_article(secret.kind)}")
        masked = self._masked.setdefault(name, _Masked(why))
        masked.count += 1
        if len(masked.places) < _PLACES_SHOWN:
            pointer = inert(self._redactor.pointer(secret.pointer))
            if len(pointer) > _LONGEST_POINTER:
                pointer = f"…{pointer[1 - _LONGEST_POINTER :]}"
            place = f"{self._place} at {pointer}" if pointer else self._place
            masked.places.append(f"{place}: {_clipped(shown, _WIDTH - len(place))}")


def _clipped(shown: str, width: int) -> str:
    """Return what is around a secret in so many characters: as much before it as after it."""
    before, mask, after = shown.partition(MASK.decode())
    room = max(0, width - len(mask))
    first = max(room // 2, room - len(after))
    if len(before) > first:
        before = f"…{before[len(before) - first + 1 :]}" if first else ""
    rest = room - len(before)
    return f"{before}{mask}{after if len(after) <= rest else after[: max(0, rest - 1)] + '…'}"


def _about(odd: Odd) -> Iterator[str]:
    shown = odd.text if len(odd.text) <= _LONGEST else f"{odd.text[:_LONGEST]}…"
    hint = f"; {odd.hint}" if odd.hint else ""
    yield inert(f"  {shown}: {odd.what}, {counted(odd.count, 'place')}{hint}")
    yield inert(f"    {odd.place}")


def _place_of(record: Record) -> str:
    if isinstance(record, Frame):
        return f"frame {record.seq}"
    if isinstance(record, Stderr):
        return f"stderr, {record.t:g} s"
    if isinstance(record, Header):
        return "header"
    if isinstance(record, Delivery):
        return f"delivery of frame {record.seq}"
    if isinstance(record, HttpExchange):
        return f"HTTP exchange {record.id}"
    if isinstance(record, Disconnect):
        return f"disconnect of HTTP exchange {record.exchange}"
    return "exit" if isinstance(record, Exit) else "end of a stream"


def _article(kind: str) -> str:
    words = re.sub(r"-", " ", kind)
    return f"an {words}" if words[0] in "aeio" else f"a {words}"
