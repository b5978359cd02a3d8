"""
Change one place of a JSON text, and leave all other bytes as they were sent.

A place is a JSON Pointer. An edit whose place is not in the text changes nothing.
"""

from collections.abc import Collection, Iterable, Iterator

import msgspec

from acp_spy.wire.pointer import Span, items, span, steps


class Edit(msgspec.Struct, frozen=True):
    """A change at the place `path`, by one of the subclasses."""

    path: str

    def apply(self, text: bytes) -> bytes:
        """Return `text` with this change."""
        found = span(text, self.path)
        return text if found is None else self.change(text, found)

    def change(self, text: bytes, found: Span) -> bytes:
        """Return `text`, in which the place is at `found`, with this change."""
        raise NotImplementedError


class Rename(Edit, frozen=True):
    """The field has another name."""

    name: str

    def change(self, text: bytes, found: Span) -> bytes:
        """Replace the name."""
        if found.name is None:
            return text
        start, end = found.name
        return text[:start] + quoted(self.name) + text[end:]


class Replace(Edit, frozen=True):
    """The value is another one, given as JSON."""

    value: bytes

    def change(self, text: bytes, found: Span) -> bytes:
        """Replace the value."""
        return text[: found.start] + self.value + text[found.end :]


class Add(Edit, frozen=True):
    """The object has one more field, before the others."""

    name: str
    value: bytes

    def change(self, text: bytes, found: Span) -> bytes:
        """Add the field."""
        field = quoted(self.name) + b": " + self.value
        return _object(text, found, [field, *_fields(text, found)])


class Remove(Edit, frozen=True):
    """The field is not there."""

    def apply(self, text: bytes) -> bytes:
        """Remove the field from its object."""
        around, name = span(text, self.path.rpartition("/")[0]), steps(self.path)[-1]
        if around is None:
            return text
        return _object(text, around, _fields(text, around, without=(name,)))


class Nest(Edit, frozen=True):
    """Some fields of the object are in an object of their own, under `under`."""

    names: tuple[str, ...]
    under: str

    def change(self, text: bytes, found: Span) -> bytes:
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
        inner = quoted(self.under) + b": " + _object(text, found, moved, alone=True)
        return _object(text, found, [*fields[:place], inner, *fields[place:]])


def applied(edits: Iterable[Edit], text: bytes) -> bytes:
    """Return `text` with all of the edits: the innermost first, so that places stay as they are."""
    for edit in sorted(edits, key=lambda edit: -edit.path.count("/")):
        text = edit.apply(text)
    return text


def quoted(text: str) -> bytes:
    """Return a text as a JSON string."""
    return msgspec.json.encode(text)


def _fields(text: bytes, found: Span, without: Collection[str] = ()) -> Iterator[bytes]:
    return (_field(text, value) for name, value in items(text, found.start) if name not in without)


def _field(text: bytes, value: Span) -> bytes:
    return text[value.name[0] if value.name else value.start : value.end]


def _object(text: bytes, found: Span, fields: Iterable[bytes], *, alone: bool = False) -> bytes:
    """Return the object with these fields, in the text around it unless it is `alone`."""
    made = b"{" + b", ".join(fields) + b"}"
    return made if alone else text[: found.start] + made + text[found.end :]
