"""Start the process that reads: before anything else is loaded, for it has much to load itself."""

import subprocess
import sys
from typing import NamedTuple

from acp_spy.console.shelf import Shelf


class Started(NamedTuple):
    """The process of `reading.py`, and what it shares with the console."""

    process: "subprocess.Popen[bytes]"
    shelf: Shelf


def start() -> Started:
    """Start the process."""
    shelf = Shelf.create()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "acp_spy.console.reading", *map(str, shelf.descriptors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=shelf.descriptors,
        start_new_session=True,  # Ctrl-C in an editor that the console has started is not for it
    )
    return Started(process, shelf)
