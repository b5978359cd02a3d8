"""A file that is there when it is complete, and only its owner's to read."""

import os
import stat
from collections.abc import Iterable

from acp_spy.errors import AcpSpyError


def write_file(path: str, parts: Iterable[str | bytes], *, but: str = "") -> None:
    """Write `parts` to `path`, replacing what is there; `but` is a file that it must not be."""
    try:
        if but and os.path.exists(path) and os.path.samefile(path, but):
            raise AcpSpyError(
                f"`{path}` is the capture itself, which is never overwritten",
                hint="give a new name",
            )
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as file:  # a device or a pipe
                file.writelines(map(_encoded, parts))
            return
        whole = os.path.realpath(path)  # a link stays a link
        unfinished = f"{whole}.{os.getpid()}.part"
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.writelines(map(_encoded, parts))
            os.replace(unfinished, whole)
        except BaseException:
            os.unlink(unfinished)
            raise
    except OSError as error:
        raise AcpSpyError(f"`{path}` cannot be written: {error.strerror}") from None


def _encoded(part: str | bytes) -> bytes:
    return part if isinstance(part, bytes) else part.encode(errors="backslashreplace")
