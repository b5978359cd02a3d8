"""
A capture that comes on stdin, spooled: what judges or shows it reads it more than once.

On Linux its path is `/dev/stdin`, which people know it by: the spool takes the place of the pipe,
and is opened anew by that name each time. Elsewhere it has the name of the spool.
"""

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache

from acp_spy.errors import AcpSpyError

_PATH = "/dev/stdin"


@cache
def spool_stdin() -> str:
    """Return the path of what comes on stdin, when it has come to its end."""
    if sys.stdin is None:
        raise _nothing("it is closed")
    if sys.stdin.isatty():
        raise _nothing("it is a terminal")
    opens_anew = sys.platform == "linux"
    if opens_anew and os.path.isfile(_PATH):
        return _PATH
    try:
        descriptor, name = tempfile.mkstemp(prefix="acp-spy-")
        atexit.register(os.unlink, name)
        with open(descriptor, "wb") as spool:
            shutil.copyfileobj(sys.stdin.buffer, spool)
            spool.flush()
            if opens_anew:
                os.dup2(spool.fileno(), sys.stdin.fileno())
    except OSError as error:
        raise AcpSpyError(f"stdin cannot be read, or not be kept: {error.strerror}") from None
    return _PATH if opens_anew else name


def _nothing(why: str) -> AcpSpyError:
    return AcpSpyError(
        f"no capture can come on stdin: {why}",
        hint="`-` is for a capture in a pipe, or behind `<`; else give its path",
    )
