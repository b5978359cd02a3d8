"""Where agents can be started: on POSIX. Everything that only reads files works anywhere."""

import os

from acp_spy.errors import AcpSpyError

NEEDS_POSIX = "needs Linux, macOS or another POSIX system, which this is not"


def is_posix() -> bool:
    """Whether this platform has the processes, pipes and signals that the proxy stands on."""
    return hasattr(os, "fork")


def no_posix(what: str) -> AcpSpyError:
    """Return the error for `what`, which cannot be done here."""
    return AcpSpyError(
        f"{what} {NEEDS_POSIX}",
        hint="on Windows, run agent and acp-spy in WSL; what was recorded can be read here:"
        " acp-spy view CAPTURE",
    )
