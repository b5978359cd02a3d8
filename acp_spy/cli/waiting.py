"""Which capture `view -f` follows when none is named: the one that runs, else the next to begin."""

import time

from acp_spy.capture.folder import captures, files_in, look_at
from acp_spy.cli.console import write

_PAUSE = 0.05  # seconds between two looks


def next_recording(folder: str) -> str:
    """
    Return the path of the newest capture in `folder` that is being written, or of the next.

    The folder itself need not be there yet: the first recording makes it.
    """
    known = captures(folder)
    for entry in known:
        if entry.running:
            return entry.path
    write(f"waiting for a recording in {folder}; Ctrl-C to leave\n")
    old = {entry.path for entry in known}
    while True:
        # Those that were no captures before are looked at, too: one may be in its first moments.
        for path in files_in(folder):
            if path not in old and look_at(path) is not None:
                return path
        time.sleep(_PAUSE)
