"""One frame for programs: its row, its message, what was found in it, and its partner."""

from typing import Any

from acp_spy.view.capture_view import FrameDetail
from acp_spy.view.gists.words import plain
from acp_spy.view.rows_json import row_fields
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame
from acp_spy.wire.values import decoded


def document(detail: FrameDetail) -> dict[str, Any]:
    """Return the frame as values that msgspec can encode; what there is not is left out."""
    partners = {"request": detail.request, "response": detail.response}
    return {
        **_shown(detail.row),
        "findings": detail.findings,
        **{name: _shown(row) for name, row in partners.items() if row},
    }


def message_of(row: Row) -> Any:
    """Return the JSON value of a frame; what is not JSON as text."""
    assert isinstance(row.record, Frame)
    message = decoded(row.record.payload)
    return plain(row.record.raw) if message is None else message


def _shown(row: Row) -> dict[str, Any]:
    fields = row_fields(row)
    fields.pop("findings", None)  # those that came to light later are not among them
    return {"row": fields, "message": message_of(row)}
