"""Remove a folder that we have made, and nothing else."""

import os
from contextlib import suppress
from shutil import rmtree


def remove_folder(path: str, descriptor: int) -> None:
    """
    Remove the folder that is open as `descriptor`, and all that is in it.

    Where others can write, another folder may be at its `path` by now: that is removed only if it
    is empty.
    """
    with suppress(OSError):
        for name in os.listdir(descriptor):
            try:
                os.unlink(name, dir_fd=descriptor)
            except OSError:
                rmtree(name, ignore_errors=True, dir_fd=descriptor)
    with suppress(OSError):
        os.rmdir(path)
