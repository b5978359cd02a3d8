"""Rows and folds as bytes, without the frames they come from: what is needed to draw them."""

from typing import Any

import msgspec

from acp_spy.capture.records import Header
from acp_spy.lint.rule import Finding
from acp_spy.view.folding import Fold, Item
from acp_spy.view.terminal import Margin
from acp_spy.view.timeline import Row

_LONGEST = 1000  # characters of a name or a text: more does not fit on a line
_NO_RECORD = Header()
_FIELDS = [field for field in msgspec.structs.fields(Row) if field.name != "record"]
_StoredRow: Any = msgspec.defstruct(
    "_StoredRow",
    [(field.name, field.type, *(() if field.required else (field.default,))) for field in _FIELDS],
    array_like=True,
    frozen=True,
)


class _StoredFold(msgspec.Struct, frozen=True, array_like=True):
    last: Any
    count: int
    text: str
    size: int
    duration: float | None
    more_findings: int


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    margin: Margin
    first: _StoredRow
    fold: _StoredFold | None
    findings: list[Finding]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Stored).decode


def store(item: Item, margin: Margin) -> bytes:
    """Return an item and its margin as bytes."""
    if isinstance(item, Fold):
        fold = _StoredFold(
            _row(item.last), item.count, item.text, item.size, item.duration, item.more_findings
        )
        return _encode(_Stored(margin, _row(item.first), fold, item.findings))
    return _encode(_Stored(margin, _row(item), None, list(item.findings)))


def restore(data: bytes) -> tuple[Item, Margin]:
    """Return the item and its margin; the rows of it have no record."""
    stored = _decode(data)
    first = _restored(stored.first)
    if stored.fold is None:
        return msgspec.structs.replace(first, findings=tuple(stored.findings)), stored.margin
    fold = stored.fold
    last = _restored(msgspec.convert(fold.last, _StoredRow))
    restored = Fold(
        first,
        last,
        fold.count,
        fold.text,
        fold.size,
        fold.duration,
        stored.findings,
        fold.more_findings,
        is_open=False,
    )
    return restored, stored.margin


def _row(row: Row) -> Any:
    values = {field.name: getattr(row, field.name) for field in _FIELDS}
    for name in ("what", "gist", "text", "method"):
        values[name] = values[name][:_LONGEST]
    values["findings"] = ()
    return _StoredRow(**values)


def _restored(row: Any) -> Row:
    return Row(record=_NO_RECORD, **msgspec.structs.asdict(row))
