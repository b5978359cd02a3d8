"""
Rows of the console to a file: as `acp-spy view -o` writes them, by the suffix of its name.

Another process writes it, because a large capture takes long, and keys must be answered meanwhile.
It ends with the console, however that ends, and leaves no part of a file behind.
"""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from acp_spy.capture.opening import FoundPath
from acp_spy.capture.write_file import unfinished_name, write_file
from acp_spy.console.document import Document
from acp_spy.engine.ready import FOR_EVER, is_readable
from acp_spy.errors import AcpSpyError
from acp_spy.home import expanded
from acp_spy.units import counted
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.folding import Fold
from acp_spy.view.formats import format_of
from acp_spy.wire.frame import Frame

# The priority is lowered first: to load the rest takes longer than a key may.
_PROGRAM = """
from acp_spy.console import priority
priority.lower()
from acp_spy.console import export
export.main()
"""


class Export:
    """
    The marked rows, or those that the filters choose, to be written to `path`.

    Raises `AcpSpyError` if that is not possible.
    """

    def __init__(
        self, document: Document, path: str, filters: Sequence[str], marks: Collection[int] = ()
    ) -> None:
        document.check()
        wanted = expanded(path, is_file=True)
        if os.path.lexists(wanted):
            raise AcpSpyError(f"cannot export to `{path}`: it exists", hint="give a new name")
        format_of(wanted, has_option=False)  # raises for a suffix that is not known
        self.path = path
        self.job: dict[str, Any] = {
            "capture": document.path,
            "wanted": wanted,
            "filters": list(filters),
            "only": sorted(_frames(document, marks)) if marks else None,
        }

    async def run(self) -> str:
        """Write the file; return what was done, in words."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-c", _PROGRAM),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in an editor of the console is not for it
            )
        except OSError as error:
            raise AcpSpyError(f"cannot export: {error.strerror}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            with suppress(OSError):  # it has ended: there is no reply
                process.stdin.write(json.dumps(self.job).encode() + b"\n")
                await process.stdin.drain()
            reply, stderr = await asyncio.gather(process.stdout.read(), process.stderr.read())
        except BaseException:
            with suppress(ProcessLookupError):
                process.kill()  # not asked to end: it may be busy for seconds before it notices
            raise
        finally:
            await self._end(process)
        if not reply.endswith(b"\n"):
            reason = "cannot export: the process that writes it has ended"
            if bug := stderr.decode(errors="replace").strip():
                raise AcpSpyError(f"{reason}: {bug.splitlines()[-1]}", hint="please report it")
            raise AcpSpyError(reason)
        fields = json.loads(reply)
        if "error" in fields:
            raise AcpSpyError(fields["error"], hint=fields["hint"])
        return f"written to {self.path}: {fields['done']}"

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Wait for the end of the process, and remove what it has not finished."""
        while process.returncode is None:
            with suppress(asyncio.CancelledError):  # the console ends: it cancels more than once
                await process.wait()
        with suppress(OSError):
            os.unlink(unfinished_name(self.job["wanted"], process.pid))


def write(
    capture: str, wanted: str, filters: Sequence[str], only: Sequence[int] | None = None
) -> str:
    """Write the file; return what is in it, in words."""
    form = format_of(wanted)
    view = CaptureView(FoundPath(capture), filters, masked=form.to_be_shared)
    if only is not None:
        view.only = frozenset(only)
    write_file(wanted, form.render(view), but=capture, replace=False)
    masked = f"; {counted(view.masked_places, 'secret')} masked" if view.masked else ""
    return f"{counted(view.frames_shown, 'frame')}{masked}"


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


def _end_with_stdin() -> None:
    """End when stdin is closed: the console has ended, and the first part may take long to come."""
    is_readable(0, FOR_EVER)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run the process: a line of JSON from stdin says what to write, one on stdout what was."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # what is unfinished is removed
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        reply = {"done": write(**job)}
    except AcpSpyError as error:
        reply = {"error": error.message, "hint": error.hint}
    print(json.dumps(reply), flush=True)  # noqa: T201 - for the console
