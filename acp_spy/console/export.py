"""Rows of the console to a file: as `acp-spy view -o` writes them, by the suffix of its name."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from acp_spy.capture.write_file import write_file
from acp_spy.console.document import Document
from acp_spy.errors import AcpSpyError
from acp_spy.units import counted
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.folding import Fold
from acp_spy.view.formats import format_of
from acp_spy.wire.frame import Frame


class Export:
    """
    The marked rows, or those that the filters choose, to be written to `path`.

    Raises `AcpSpyError` if that is not possible. `run` takes long for a large capture, and can be
    called in a thread.
    """

    def __init__(
        self, document: Document, path: str, filters: Sequence[str], marks: Collection[int] = ()
    ) -> None:
        document.check()
        self.path = path
        self._wanted = os.path.expanduser(path)
        if os.path.lexists(self._wanted):
            raise AcpSpyError(f"cannot export to `{path}`: it exists", hint="give a new name")
        self._form = format_of(self._wanted)
        self._capture = document.path
        self._filters = filters
        self._only = _frames(document, marks) if marks else None

    def run(self, is_cancelled: Callable[[], bool]) -> str:
        """Write the file; return what was done, in words. Without a file, if it is cancelled."""
        view = CaptureView(self._capture, self._filters, masked=self._form.to_be_shared)
        if self._only is not None:
            view.only = self._only
        parts = _until(is_cancelled, self._form.render(view))
        write_file(self._wanted, parts, but=self._capture)
        masked = f"; {counted(view.masked_places, 'secret')} masked" if view.masked else ""
        return f"written to {self.path}: {counted(view.frames_shown, 'frame')}{masked}"


def _until(is_cancelled: Callable[[], bool], parts: Iterable[str | bytes]) -> Iterator[str | bytes]:
    for part in parts:
        if is_cancelled():
            raise AcpSpyError("cannot export: the console was left")
        yield part


def _frames(document: Document, marks: Collection[int]) -> frozenset[int]:
    """Return the numbers of the frames in the marked rows."""
    frames: set[int] = set()
    for place in marks:
        record = document.record(place)
        if not isinstance(record, Frame):
            continue
        frames.add(record.seq)
        # With another filter there may be no row here any more, or it is within a fold.
        shown = document.show(place) if document.find(place) == place else None
        if shown is not None and isinstance(shown.item, Fold):
            frames.update(document.frames_of(shown))
    return frozenset(frames)
