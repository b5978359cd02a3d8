"""
Where the control socket of a run is: beside its capture, or in the user's runtime folder.

A socket can be bound, connected to and renamed by its path only. So it is only where nobody else
can exchange anything on the way: then what was found at a path is there when it is used.
"""

import os
import stat
from contextlib import suppress
from hashlib import sha256

from acp_spy.capture.links import Place, is_ours_alone, open_above, open_folder

# A socket's path has at most 103 bytes on macOS, and 107 on Linux.
_LONGEST_PATH = 100


def control_paths(capture: str) -> tuple[str, str]:
    """
    Return where the socket of the run that records `capture` can be: beside it, or elsewhere.

    The second is for a folder that can hold none, and a path that is too long for a socket. A place
    where others could exchange it, or that does not exist, is empty. Raises `OSError` if the folder
    of the capture cannot be entered.
    A capture that was given as an open file has the name of that file, by which a viewer knows it.
    """
    with open_above(capture) as place:
        whole = (place.is_descriptor and _name_of_open_file(place)) or place.path
    beside = f"{whole}.sock"
    is_possible = len(os.fsencode(beside)) <= _LONGEST_PATH
    if not is_possible or not is_ours_alone(os.path.dirname(whole)):
        beside = ""
    folder = ""
    with suppress(OSError), open_folder(runtime_folder()) as place:
        if is_ours_alone(place.path):
            folder = place.path
    name = sha256(os.fsencode(whole)).hexdigest()[:16]
    return beside, os.path.join(folder, f"{name}.sock") if folder else ""


def _name_of_open_file(place: Place) -> str:
    """Return the path of the file that is open at `place`; empty if it has none, or not Linux."""
    with suppress(OSError):  # what was deleted leads nowhere
        path = os.readlink(place.name, dir_fd=place.folder)
        status = os.stat(path, follow_symlinks=False)
        if os.path.samestat(status, os.stat(place.name, dir_fd=place.folder)):
            return path
    return ""


def runtime_folder() -> str:
    """Return the user's folder for sockets, whether it exists or not."""
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    if given := os.environ.get("XDG_RUNTIME_DIR", ""):
        try:
            is_own = os.stat(given).st_uid == user  # it is another's after `su`, for example
        except OSError:
            is_own = True
        if is_own:
            return os.path.join(given, "acp-spy")
    return os.path.join("/tmp", f"acp-spy-{user}")  # noqa: S108 - its owner is checked


def has_socket(capture: str) -> bool:
    """Whether a run that records `capture` seems to have a socket."""
    try:
        return any(map(is_own_socket, control_paths(capture)))
    except OSError:
        return False


def is_own_socket(path: str) -> bool:
    """Whether a socket of this user is at `path`: one of somebody else's is not to be trusted."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()
