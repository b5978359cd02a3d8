"""Commands as a user whom the modes of files stop, and as another user."""

import os
import shutil

import pytest

_CAPABILITIES = "-dac_override,-dac_read_search"


def stopped_by_modes() -> list[str]:
    """Return words before a command: root reads all files, but not without its capabilities."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root is stopped only by setpriv of util-linux")
    return ["setpriv", f"--inh-caps={_CAPABILITIES}", f"--bounding-set={_CAPABILITIES}"]


def another_user() -> list[str]:
    """Return words before a command, so that it is of another user than this process."""
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("only root becomes another user, by setpriv of util-linux")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
