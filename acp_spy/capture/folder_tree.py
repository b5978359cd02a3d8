"""
The files in a folder and in those below it.

Others may be able to write to the folder, and exchange one below it for a link at any moment. So
each is opened from the one above it, and a file is opened from its folder: nothing leads elsewhere.
"""

import os
from collections.abc import Callable, Iterator

from acp_spy.capture.open_flags import CLOEXEC, NOFOLLOW
from acp_spy.capture.opening import FoundPath
from acp_spy.errors import AcpSpyError

_DEEPEST = 500  # each level keeps a folder open
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | CLOEXEC

CannotRead = Callable[[AcpSpyError], None]


def files_below(named: str, cannot_read: CannotRead) -> Iterator[FoundPath]:
    """
    Give the regular files in a folder and below it, whose name does not begin with a dot.

    Each can be opened until the next one is given. No link is followed but `named` itself.
    `cannot_read` is called for each folder that cannot be read.
    """
    yield from _files_below(named, None, _DEEPEST, cannot_read)


def _files_below(
    path: str, above: int | None, depth: int, cannot_read: CannotRead
) -> Iterator[FoundPath]:
    folder = None
    try:
        try:
            if not depth:
                raise OSError(0, f"it is more than {_DEEPEST} folders deep")
            folder = _open(path, above)
            files, folders = _names_in(path if folder is None else folder)
        except OSError as error:
            cannot_read(AcpSpyError(f"cannot read the folder `{path}`: {error.strerror}"))
            return
        for name in files:
            yield FoundPath(os.path.join(path, name), folder)
        for name in folders:
            yield from _files_below(os.path.join(path, name), folder, depth - 1, cannot_read)
    finally:
        if folder is not None:
            os.close(folder)


def _open(path: str, above: int | None) -> int | None:
    """Open a folder in the one above it; nothing where folders cannot be opened."""
    if os.open not in os.supports_dir_fd:
        return None
    if above is None:
        return os.open(path, _FOLDER)
    return os.open(os.path.basename(path), _FOLDER | NOFOLLOW, dir_fd=above)


def _names_in(folder: str | int) -> tuple[list[str], list[str]]:
    """Return the names of the files and of the folders in `folder`."""
    with os.scandir(folder) as found:
        shown = sorted(
            (each for each in found if not each.name.startswith(".")), key=lambda each: each.name
        )
    files = [each.name for each in shown if each.is_file(follow_symlinks=False)]
    return files, [each.name for each in shown if each.is_dir(follow_symlinks=False)]
