"""Which captures can be asked for: those in the capture folder, and the one that was named."""

import os
from urllib.parse import quote

from acp_spy.capture.folder import files_in, look_at
from acp_spy.errors import AcpSpyError


def name_in_url(path: str) -> str:
    """Return how a capture is called in the URL of its page."""
    return quote(os.fsencode(os.path.basename(path)), safe="")


def find(folder: str, named: str, name: str) -> str | None:
    """Return the path of the capture that `name` in a URL means: `named`, or one in `folder`."""
    if named and name == name_in_url(named):
        return named
    try:
        paths = files_in(folder)
    except AcpSpyError:
        return None
    path = next((path for path in paths if name_in_url(path) == name), None)
    return path if path and look_at(path) else None
