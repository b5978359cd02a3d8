"""Where the control socket of a run is: beside its capture, or in the user's runtime folder."""

import os
import stat
from contextlib import suppress
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


def remove_socket(capture: str) -> None:
    """Remove what a killed run has left beside its capture."""
    for path in control_paths(capture):
        remove_stale(path)


def remove_stale(path: str) -> None:
    """Remove a socket of this user that nobody listens on; another program's is in use."""
    if not is_own_socket(path):
        return
    import socket  # hardly any capture has one

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            with suppress(FileNotFoundError):
                os.unlink(path)
        except OSError:  # it is in use, or too long to be asked: it stays
            pass
