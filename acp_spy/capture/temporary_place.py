"""Where temporary files and folders are made: where no other user can exchange them."""

import os
from contextlib import suppress
from shutil import rmtree
from tempfile import gettempdir

from acp_spy.capture.links import keeps_ours
from acp_spy.errors import AcpSpyError


def temporary_place() -> str:
    """
    Return the folder for temporary files: that of the system, or if others may rename in it, home.

    Raises `AcpSpyError` if neither will do, and `OSError` if there is none.
    """
    usual = gettempdir()
    for place in map(os.path.realpath, (usual, os.path.expanduser("~"))):
        if keeps_ours(place) and os.access(place, os.W_OK | os.X_OK):
            return place
    raise AcpSpyError(
        f"cannot use `{usual}` for temporary files: other users can exchange what is in it",
        hint="set TMPDIR to a folder in which only you can write",
    )


def remove_tree(folder: str) -> None:
    """Remove a folder that we have made, as far as that is possible."""
    with suppress(RecursionError):  # thousands of folders in each other
        rmtree(folder, ignore_errors=True)
