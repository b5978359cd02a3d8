"""Rows of the console to a file: as `acp-spy view -o` writes them, by the suffix of its name."""

import os
from collections.abc import Collection, Sequence

from acp_spy.capture.write_file import write_file
from acp_spy.console.document import Document
from acp_spy.errors import AcpSpyError
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.folding import Fold
from acp_spy.view.formats import format_of
from acp_spy.wire.frame import Frame


def export(
    document: Document, path: str, filters: Sequence[str], marks: Collection[int] = ()
) -> str:
    """Write the marked rows, or those that the filters choose; return what was done, in words."""
    wanted = os.path.expanduser(path)
    if os.path.lexists(wanted):
        raise AcpSpyError(f"cannot export to `{path}`: it exists", hint="give a new name")
    form = format_of(wanted)
    view = CaptureView(document.path, filters, masked=form.to_be_shared)
    if marks:
        view.only = _frames(document, marks)
    write_file(wanted, form.render(view), but=document.path)
    masked = f"; {view.masked_places} secrets masked" if view.masked else ""
    return f"written to {path}: {view.frames_shown} frames{masked}"


def _frames(document: Document, marks: Collection[int]) -> frozenset[int]:
    """Return the numbers of the frames in the marked rows."""
    frames: set[int] = set()
    for place in marks:
        record = document.record(place)
        if not isinstance(record, Frame):
            continue
        frames.add(record.seq)
        # With another filter there may be no row here any more, or it is within a fold.
        item = document.show(place).item if document.find(place) == place else None
        if isinstance(item, Fold):
            frames |= set(range(record.seq, (item.last.seq or record.seq) + 1))
    return frozenset(frames)
