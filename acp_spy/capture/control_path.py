"""Where the control socket of a run is: beside its capture, or in the user's runtime folder."""

import os
import stat
from hashlib import sha256

# A socket's path has at most 103 bytes on macOS, and 107 on Linux.
LONGEST_PATH = 100


def control_paths(capture: str) -> tuple[str, str]:
    """
    Return where the socket of the run that records `capture` can be: beside it, or elsewhere.

    The second is for a path that is too long for a socket, and a folder that can hold none.
    """
    whole = os.path.realpath(capture)
    name = sha256(os.fsencode(whole)).hexdigest()[:16]
    return f"{whole}.sock", os.path.join(runtime_folder(), f"{name}.sock")


def runtime_folder() -> str:
    """Return the user's folder for sockets, whether it exists or not."""
    if given := os.environ.get("XDG_RUNTIME_DIR", ""):
        return os.path.join(given, "acp-spy")
    user = os.getuid() if hasattr(os, "getuid") else 0
    return os.path.join("/tmp", f"acp-spy-{user}")  # noqa: S108 - its owner is checked


def is_own_socket(path: str) -> bool:
    """Whether a socket of this user is at `path`: one of somebody else's is not to be trusted."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()
