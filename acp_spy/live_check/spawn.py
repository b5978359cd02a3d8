"""Begin a checker as a new process, where trio runs or threads do, and a fork is no option."""

import os
import sys

from acp_spy.live_check.checker import become_checker

_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from {} import main; main()"


def spawn(path: str) -> tuple[int, int, int]:
    """Return its number, where to write wakeups, and where to read its output."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-c", _CODE.format(__name__), package, path]
    wakeups, to_checker = os.pipe()
    from_checker, output = os.pipe()
    try:
        pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, wakeups, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
            ],
        )
    except OSError:
        os.close(to_checker)
        os.close(from_checker)
        raise
    finally:
        os.close(wakeups)
        os.close(output)
    return pid, to_checker, from_checker


def main() -> None:
    """Be the process: its stdin has wakeups, its stdout is the output."""
    wakeups, output = os.dup(0), os.dup(1)
    become_checker(sys.argv[2], wakeups, output)
