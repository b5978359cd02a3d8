"""A file that is there when it is complete, and only its owner's to read."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from shlex import quote

from acp_spy.capture.files import is_capture
from acp_spy.capture.folder import look_at
from acp_spy.capture.open_flags import BINARY, CLOEXEC
from acp_spy.errors import AcpSpyError


def refuse_capture(path: str, *, but: str = "", force: bool = False) -> None:
    """
    Raise `AcpSpyError` if a capture is at `path`, which may be replaced only by `force`.

    A recording cannot be made again, and `view -o run.jsonl` may be meant to show it. One that is
    being written is not replaced at all: the rest of it would go nowhere. `but` is the capture
    that is read, which `write_file` refuses with words of its own.
    """
    try:
        is_there = os.path.isfile(path) and os.path.getsize(path) > 0 and is_capture(path)
    except OSError:  # not ours to read
        is_there = False
    if not is_there or (but and os.path.exists(but) and os.path.samefile(path, but)):
        return
    entry = look_at(os.path.realpath(path))
    if entry is not None and entry.running:
        raise AcpSpyError(
            f"`{path}` is a capture that is being recorded",
            hint=f"to look at it: acp-spy view -f {quote(path)}; to write: give a new name",
        )
    if not force:
        raise AcpSpyError(
            f"`{path}` is a capture, which is not overwritten",
            hint=f"to look at it: acp-spy view {quote(path)};"
            " to write: give a new name, or `--force` to replace it",
        )


def write_file(path: str, parts: Iterable[str | bytes], *, but: str = "") -> None:
    """Write `parts` to `path`, replacing what is there; `but` is a file that it must not be."""
    try:
        if but and os.path.exists(path) and os.path.samefile(path, but):
            raise AcpSpyError(
                f"`{path}` is the capture itself, which is never overwritten",
                hint="give a new name",
            )
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            # A device or a pipe; whoever reads it may have seen enough, as `head` has.
            with suppress(BrokenPipeError), open(path, "wb") as file:
                file.writelines(map(_encoded, parts))
            return
        whole = os.path.realpath(path)  # a link stays a link
        unfinished = f"{whole}.{os.getpid()}.part"
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(unfinished, new | BINARY | CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.writelines(map(_encoded, parts))
            os.replace(unfinished, whole)
        except BaseException:
            os.unlink(unfinished)
            raise
    except OSError as error:
        folder = os.path.dirname(os.path.realpath(path))
        hint = "" if os.path.isdir(folder) else f"make the folder first: mkdir -p {quote(folder)}"
        raise AcpSpyError(f"`{path}` cannot be written: {error.strerror}", hint=hint) from None


def _encoded(part: str | bytes) -> bytes:
    return part if isinstance(part, bytes) else part.encode(errors="backslashreplace")
