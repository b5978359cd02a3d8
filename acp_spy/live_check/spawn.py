"""Begin a checker as a new process, where trio runs or threads do, and a fork is no option."""

import os
import sys

from acp_spy.engine.launch import PACKAGE_FOLDER
from acp_spy.live_check import checker

_CAPTURE = 3  # its number there: the first after the streams
_CODE = f"""import sys
sys.path.insert(0, sys.argv[1])
from {checker.__name__} import become_checker
become_checker(sys.argv[2], {_CAPTURE}, 0, 1)"""


def spawn(path: str, capture: int, wakeups: int, output: int) -> int:
    """Begin it with wakeups as its stdin and the output as its stdout; return its number."""
    command = [sys.executable, "-P", "-c", _CODE, PACKAGE_FOLDER, path]
    ends = [
        (os.POSIX_SPAWN_DUP2, wakeups, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, capture, _CAPTURE),  # the last: one of the others may be this number
    ]
    # In a group of its own from the first moment: a Ctrl-C is not for it.
    return os.posix_spawn(sys.executable, command, os.environ, file_actions=ends, setpgroup=0)
