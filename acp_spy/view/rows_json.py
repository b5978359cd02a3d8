"""Rows for programs: JSON with one object a row, and the filtered capture itself."""

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.capture.codec import encode
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.timeline import Row
from acp_spy.wire.inert import inert_json

_LEFT_OUT = frozenset({"record", "text"})  # they are in the capture, byte for byte
_FIELDS = tuple(name for name in Row.__struct_fields__ if name not in _LEFT_OUT)


def as_json(view: CaptureView) -> Iterator[str]:
    """Give a JSON document with the header, the rows, and the findings that have no row."""
    _ = view.diagnosis  # most captures are read first: of a damaged one there is only the error
    yield f'{{"header":{_spelled(view.header)},\n"rows":['
    separator = "\n"
    for row in view.rows():
        yield separator + _spelled(row_fields(row))
        separator = ",\n"
    late = list(view.late())
    yield f'\n],\n"findings":{_spelled(late)},\n"diagnosis":{_spelled(view.diagnosis)}}}\n'


def as_capture(view: CaptureView) -> Iterator[bytes]:
    """Give a capture that has only these rows; frames keep their numbers and times."""
    _ = view.diagnosis
    yield encode([view.header])
    for row in view.rows():
        yield encode([row.record])


def row_fields(row: Row) -> dict[str, Any]:
    """Return the fields of a row; what does not apply to it is left out."""
    members = {name: getattr(row, name) for name in _FIELDS}
    members["t"], members["gap"] = round(row.t, 9), round(row.gap, 9)
    if row.latency is not None:
        members["latency"] = round(row.latency, 9)
    if row.duration is not None:
        members["duration"] = round(row.duration, 9)
    return {
        name: value
        for name, value in members.items()
        if name in ("kind", "t", "gap", "what")
        or (value is not None and value not in ("", (), False))
    }


def _spelled(value: Any) -> str:
    return inert_json(msgspec.json.encode(value).decode())  # it may go to a terminal
