"""Where captures are when nobody has said, how a new one begins, and which one is meant."""

import os
from contextlib import suppress
from datetime import UTC, datetime

from acp_spy.capture.file_names import capture_name
from acp_spy.capture.opening import FoundPath, size_of
from acp_spy.capture.records import Header
from acp_spy.errors import AcpSpyError
from acp_spy.home import expanded

_SHOWN = 3  # of the names that could be meant
_LISTED = "run `acp-spy list` to see the captures in the capture folder"


def capture_folder(chosen: str = "") -> str:
    """Return the folder that new captures are put into. Raises `AcpSpyError` if none is known."""
    if folder := chosen or os.environ.get("ACP_SPY_DIR", ""):
        return expanded(folder)
    from platformdirs import user_state_dir

    state = "~"
    with suppress(RuntimeError):  # what new versions of platformdirs raise
        state = user_state_dir("acp-spy", appauthor=False)
    if state.startswith("~"):
        raise AcpSpyError(
            "cannot find the capture folder: the home folder is not known",
            hint="set `HOME` to the path of your home folder, or `ACP_SPY_DIR` to that of a folder"
            " for captures",
        )
    return os.path.join(state, "captures")


def capture_path(output: str, folder: str, wall: float, command: list[str]) -> str:
    """
    Return the path of a new capture of a run of `command` that began at `wall`.

    `output` is the file that was asked for, `folder` the folder; a folder as output is one, too.
    """
    output = expanded(output, is_file=True)
    if output and not os.path.isdir(output):
        return output
    stamp = datetime.fromtimestamp(wall, UTC).strftime("%Y%m%dT%H%M%SZ")
    name = capture_name(stamp, command, os.getpid())
    return os.path.join(output or capture_folder(folder), name)


def find_capture(named: str | None = None, *, may_be_empty: bool = False) -> str:
    """
    Return the path of the capture that is meant: a path, or a name in the capture folder.

    Of a name `.jsonl` may be left out, or all behind what no other begins with. Without a name it
    is the newest there.
    Raises `AcpSpyError` if there is none at all, if several could be meant, or if nothing was
    recorded into it: `read` takes an empty file for a run that was cut off at once, but who names
    one expects that there is something to judge, to show or to play.
    """
    if named == "":  # not the newest: a script whose variable is unset would pass
        raise AcpSpyError(
            "the name of the capture is empty", hint="check that the variable in your script is set"
        )
    is_path = named and (isinstance(named, FoundPath) or os.path.exists(named))
    path = named if named and is_path else _path_of(named)
    if not may_be_empty:
        refuse_empty(path)
    return path


def refuse_empty(path: str) -> None:
    """Raise `AcpSpyError` if the file has no bytes."""
    if size_of(path) == 0:
        raise AcpSpyError(
            f"cannot read `{path}`: it is empty",
            hint="record again: `acp-spy -o NEW.jsonl -- COMMAND`",
        )


def _path_of(named: str | None) -> str:
    if named is None:
        from acp_spy.capture.folder import newest

        return newest(capture_folder()).path
    with_ending = f"{named}.jsonl"
    if os.path.isfile(with_ending):
        return with_ending
    is_name = os.path.basename(named) == named
    return (find_in_folder(named, capture_folder()) if is_name else "") or named


def find_in_folder(named: str, folder: str) -> str:
    """Return the path of the one file in `folder` that is meant; empty if there is none."""
    from acp_spy.capture.folder import files_in

    found = {}
    with suppress(AcpSpyError):  # that the file is missing says more than that the folder is closed
        found = {os.path.basename(path): path for path in files_in(folder)}
    for name in (named, f"{named}.jsonl"):
        if name in found:
            return found[name]
    names = sorted(name for name in found if name.startswith(named))
    if len(names) > 1:
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        raise AcpSpyError(f"`{named}` matches {len(names)} captures: {shown}", hint=_LISTED)
    return found[names[0]] if names else ""


def header_for(wall: float, command: list[str], tool: str, note: str = "") -> Header:
    """Return the header of a capture that `tool` makes of `command`, run here, from `wall` on."""
    try:
        cwd = os.getcwd()
    except OSError:  # the folder has been removed
        cwd = ""
    return Header(
        tool=tool,
        started=datetime.fromtimestamp(wall, UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        command=tuple(map(_as_text, command)),
        cwd=_as_text(cwd),
        note=_as_text(note),
    )


def _as_text(word: str) -> str:
    """Return `word` without the surrogates for bytes that are not UTF-8."""
    return os.fsencode(word).decode(errors="replace")
