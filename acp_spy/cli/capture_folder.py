"""Where captures are when nobody has said, how a new one begins, and which one is meant."""

import os
from datetime import UTC, datetime

from acp_spy import __version__
from acp_spy.capture.naming import capture_name
from acp_spy.capture.records import Header


def capture_folder(chosen: str = "") -> str:
    """Return the folder that new captures are put into."""
    if folder := chosen or os.environ.get("ACP_SPY_DIR", ""):
        return os.path.expanduser(folder)  # an editor's settings know no shell
    from platformdirs import user_state_dir

    return os.path.join(user_state_dir("acp-spy", appauthor=False), "captures")


def capture_path(output: str, folder: str, wall: float, command: list[str]) -> str:
    """
    Return the path of a new capture of a run of `command` that began at `wall`.

    `output` is the file that was asked for, `folder` the folder; a folder as output is one, too.
    """
    output = os.path.expanduser(output)
    if output and not os.path.isdir(output):
        return output
    stamp = datetime.fromtimestamp(wall, UTC).strftime("%Y%m%dT%H%M%SZ")
    name = capture_name(stamp, command, os.getpid())
    return os.path.join(output or capture_folder(folder), name)


def find_capture(named: str = "", folder: str = "") -> str:
    """
    Return the path of the capture that is meant: a path, or a name in the capture folder.

    Without a name it is the newest there. Raises `AcpSpyError` if there is none at all.
    """
    if not named:
        from acp_spy.capture.folder import newest

        return newest(capture_folder(folder)).path
    inside = os.path.join(capture_folder(folder), named)
    is_bare = os.path.basename(named) == named
    return inside if is_bare and not os.path.exists(named) and os.path.isfile(inside) else named


def header_for(wall: float, command: list[str]) -> Header:
    """Return the header of a capture of `command`, run here, from `wall` on."""
    try:
        cwd = os.getcwd()
    except OSError:  # the folder has been removed
        cwd = ""
    return Header(
        tool=f"acp-spy {__version__}",
        started=datetime.fromtimestamp(wall, UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        command=tuple(map(_as_text, command)),
        cwd=_as_text(cwd),
    )


def _as_text(word: str) -> str:
    """Return `word` without the surrogates that stand for bytes which are no UTF-8."""
    return os.fsencode(word).decode(errors="replace")
