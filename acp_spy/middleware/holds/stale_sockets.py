"""Control sockets that killed runs have left."""

import os
import socket
from contextlib import suppress

from acp_spy.capture.control_path import control_paths, is_own_socket

UNSEEN = "~"  # after the name of a socket that nobody listens on yet


def remove_socket(capture: str) -> None:
    """Remove what a killed run has left beside its capture."""
    with suppress(OSError):  # its folder has gone, or is not to be trusted
        for path in control_paths(capture):
            remove_stale(path)


def remove_all_stale(folder: str) -> None:
    """Remove what killed runs have left in the runtime folder."""
    for name in os.listdir(folder):
        if not name.endswith(UNSEEN):  # a run begins to listen there at this moment
            remove_stale(os.path.join(folder, name))


def remove_stale(path: str) -> None:
    """
    Remove a socket of this user that nobody listens on; another program's is in use.

    It must be where nobody else can put something in its place.
    """
    if not is_own_socket(path):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            with suppress(OSError):
                os.unlink(path)
        except OSError:  # it is in use, or too long to be asked: it stays
            pass
