"""
An answer of limited length, which says what was left out of it, and how to get that.

A model reads every character of an answer, and clients refuse long ones. So the longest texts are
cut first, then long lists; of the list that the question is about, a page is given.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from acp_spy.wire.inert import inert_json
from acp_spy.wire.pointer import spell

MOST_CHARACTERS = 24_000  # some 8,000 tokens; Claude Code warns from 10,000 on
# The longest text and the longest list that are left whole: each pair is tried until all fits.
_LEVELS = ((20_000, 200), (4000, 200), (1000, 50), (300, 20), (100, 5), (40, 2))
_LEVELS_OF_PAGES = _LEVELS[2:]  # of many items each is short, so that more of them fit
_MOST_FIELDS = 100  # of an object
_MOST_NOTES, _LONGEST_NOTE = 5, 200
_FOR_NOTES = (_MOST_NOTES + 3) * _LONGEST_NOTE


class Answer(msgspec.Struct, frozen=True):
    """
    A JSON value, and how it may be cut.

    `paged` names its list that is given page by page: the items from `offset` on, of `total`.
    `more` says how to see what was cut.
    """

    document: dict[str, Any]
    paged: str = ""
    offset: int = 0
    total: int = 0
    more: str = ""


def spelled(answer: Answer) -> str:
    """Return the answer as JSON text of at most `MOST_CHARACTERS`."""
    document = msgspec.to_builtins(answer.document)
    for longest, most in _LEVELS_OF_PAGES if answer.paged else _LEVELS:
        cutter = _Cutter(longest, most)
        room = MOST_CHARACTERS - _FOR_NOTES
        rest = {
            name: cutter.cut(each, spell(name))
            for name, each in document.items()
            if name != answer.paged
        }
        room -= len(_text(rest))
        if not answer.paged:
            page, fits = [], room > 0
        else:
            page = list(_page(document[answer.paged], answer, cutter, room))
            rest = {**rest, answer.paged: page}
            fits = room > 0 and (bool(page) or not document[answer.paged])
        if fits:
            break
    else:  # thousands of fields within fields: nobody can read that, but its beginning shows why
        start = _text(document)[: MOST_CHARACTERS // 4]
        return _text({"left_out": ["all but the beginning", answer.more], "beginning": start})
    notes = cutter.notes
    end = answer.offset + len(page)
    if answer.paged and end < answer.total:
        shown = f"{answer.offset} to {end - 1} of {answer.total} are shown"
        notes = [f"{answer.paged} {shown}; for the next, call again with offset {end}", *notes]
    if len(notes) > _MOST_NOTES:
        notes = [*notes[:_MOST_NOTES], f"and {len(notes) - _MOST_NOTES} more places were cut"]
    if notes and answer.more:
        notes.append(answer.more)
    shown_notes = [note[-_LONGEST_NOTE:] for note in notes]
    return _text({"left_out": shown_notes, **rest} if notes else rest)


def _page(items: list[Any], answer: Answer, cutter: "_Cutter", room: int) -> Iterator[Any]:
    """Give as many items as there is room for."""
    for number, item in enumerate(items, start=answer.offset):
        known = len(cutter.notes)
        shown = cutter.cut(item, spell(answer.paged, number))
        room -= len(_text(shown)) + 1
        if room < 0:
            del cutter.notes[known:]
            return
        yield shown


class _Cutter:
    """Cuts long texts and lists, and notes where."""

    def __init__(self, longest: int, most: int) -> None:
        self._longest = longest
        self._most = most
        self.notes: list[str] = []

    def cut(self, value: Any, at: str) -> Any:
        """Return `value` as far as it may be shown; `at` is its place."""
        if isinstance(value, str) and len(value) > self._longest:
            self._note(at, self._longest, len(value), "characters")
            return f"{value[: self._longest]}…"
        if isinstance(value, dict):
            if len(value) > _MOST_FIELDS:
                self._note(at, _MOST_FIELDS, len(value), "fields")
            some = islice(value.items(), _MOST_FIELDS)
            return {name: self.cut(each, at + spell(name)) for name, each in some}
        if isinstance(value, list):
            if len(value) > self._most:
                self._note(at, self._most, len(value), "items")
            some_items = enumerate(value[: self._most])
            return [self.cut(each, at + spell(number)) for number, each in some_items]
        return value

    def _note(self, at: str, shown: int, count: int, what: str) -> None:
        self.notes.append(f"{at}: the first {shown} of {count} {what} are shown")


def _text(value: Any) -> str:
    return inert_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
