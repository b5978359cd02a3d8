"""
Change one place of a JSON text, and leave all other bytes as they were sent.

A place is a JSON Pointer. An edit whose place is not in the text changes nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from acp_spy.wire.pointer import Span, items, spans, steps

Change = tuple[int, int, bytes]  # from where to where, and what is there instead


class Edit(msgspec.Struct, frozen=True):
    """A change at the place `path`, by one of the subclasses."""

    path: str

    @property
    def around(self) -> str:
        """The value whose place has to be known."""
        return self.path

    def change(self, text: bytes, found: Span) -> Change | None:
        """Return what changes in `text`, in which the value is at `found`: its name, or all."""
        raise NotImplementedError


class Rename(Edit, frozen=True):
    """The field has another name."""

    name: str

    def change(self, _text: bytes, found: Span) -> Change | None:
        """Replace the name."""
        return (*found.name, quoted(self.name)) if found.name else None


class Replace(Edit, frozen=True):
    """The value is another one, given as JSON."""

    value: bytes

    def change(self, _text: bytes, found: Span) -> Change:
        """Replace the value."""
        return found.start, found.end, self.value


class Add(Edit, frozen=True):
    """The object has one more field, before the others."""

    name: str
    value: bytes

    def change(self, text: bytes, found: Span) -> Change:
        """Add the field."""
        field = quoted(self.name) + b": " + self.value
        return found.start, found.end, _object([field, *_fields(text, found)])


class Remove(Edit, frozen=True):
    """The field is not there."""

    @property
    def around(self) -> str:
        """The object that has the field."""
        return self.path.rpartition("/")[0]

    def change(self, text: bytes, found: Span) -> Change:
        """Remove the field from its object."""
        name = steps(self.path)[-1]
        return found.start, found.end, _object(_fields(text, found, without=(name,)))


class Nest(Edit, frozen=True):
    """Some fields of the object are in an object of their own, under `under`."""

    names: tuple[str, ...]
    under: str

    def change(self, text: bytes, found: Span) -> Change:
        """Move the fields: the new one is where the first of them was."""
        fields: list[bytes] = []
        moved: list[bytes] = []
        place = 0
        for name, value in items(text, found.start):
            if name in self.names:
                place = place if moved else len(fields)
                moved.append(_field(text, value))
            else:
                fields.append(_field(text, value))
        inner = quoted(self.under) + b": " + _object(moved)
        return found.start, found.end, _object([*fields[:place], inner, *fields[place:]])


def applied(edits: Iterable[Edit], text: bytes) -> bytes:
    """
    Return `text` with all of the edits: the innermost first, so that places stay as they are.

    Those of one depth are made at once, or each would read all of the text. They do not overlap,
    but for two changes of the same value: the second is made afterwards.
    """
    rest = sorted(edits, key=_depth, reverse=True)
    while rest:
        level = [edit for edit in rest if _depth(edit) == _depth(rest[0])]
        rest = rest[len(level) :]
        places = spans(text, {edit.around for edit in level})
        made: dict[tuple[int, int], bytes] = {}
        again: list[Edit] = []
        for edit in level:
            found = places.get(edit.around)
            change = found and edit.change(text, found)
            if change and change[:2] in made:
                again.append(edit)
            elif change:
                made[change[:2]] = change[2]
        text = _changed(text, made)
        rest = again + rest
    return text


def _depth(edit: Edit) -> int:
    return edit.around.count("/")


def _changed(text: bytes, made: Mapping[tuple[int, int], bytes]) -> bytes:
    parts, at = [], 0
    for start, end in sorted(made):
        parts += [text[at:start], made[start, end]]
        at = end
    return b"".join([*parts, text[at:]])


def quoted(text: str) -> bytes:
    """Return a text as a JSON string."""
    return msgspec.json.encode(text)


def _fields(text: bytes, found: Span, without: Collection[str] = ()) -> Iterator[bytes]:
    return (_field(text, value) for name, value in items(text, found.start) if name not in without)


def _field(text: bytes, value: Span) -> bytes:
    return text[value.name[0] if value.name else value.start : value.end]


def _object(fields: Iterable[bytes]) -> bytes:
    return b"{" + b", ".join(fields) + b"}"
