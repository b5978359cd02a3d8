"""
Start an agent where threads run and a fork is no option: a new Python becomes the agent.

It allows itself as many open files as we were allowed at first. Between fork and exec no Python of
ours may run (`preexec_fn`): a lock that another thread held then stays locked forever.
"""

import os
import resource
import sys

from acp_spy.engine.process import become

TYPE_CHECKING = False  # importing typing for its name would take longer than all else
if TYPE_CHECKING:
    from typing import NoReturn

# A new Python may not find us by itself: it is told where we are.
PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CODE = f"""import sys
sys.path.insert(0, sys.argv[1])
from {__name__} import main
main(*sys.argv[2:5], sys.argv[5:])"""


def limit_of_open_files() -> tuple[int, int]:
    """Return how many files this process may open: now, and at most."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def launching(command: list[str], open_files: tuple[int, int], failure: int) -> list[str]:
    """
    Return the command of a process that becomes `command`.

    `open_files` is its limit of them. To the descriptor `failure`, which it must inherit, it writes
    the number of the error if it could not become the command.
    """
    numbers = map(str, (failure, *open_files))
    return [sys.executable, "-P", "-S", "-c", _CODE, PACKAGE_FOLDER, *numbers, *command]


def main(failure: str, soft: str, hard: str, command: list[str]) -> "NoReturn":
    """Become `command`, in the new process."""
    os.set_inheritable(int(failure), False)

    def put_limit_back() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(soft), int(hard)))

    become(command, int(failure), put_limit_back, origin=str(os.getppid()))
