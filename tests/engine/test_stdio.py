"""Our own standard streams: given back so that their numbers are never free."""

import subprocess
import sys

from support.processes import DEADLINE

LET_GO = """
import os
from acp_spy.engine import stdio
closed, close = [], os.close
def seen(number):
    closed.append(number)
    close(number)
os.close = seen
for number in (0, 1):
    stdio.let_go(number)
print(closed, [os.readlink(f"/proc/self/fd/{number}") for number in (0, 1)], file=sys.stderr)
"""


def test_a_standard_stream_is_let_go_in_one_step():
    """Were its number free for a moment, a file that another thread opens could get it."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys{LET_GO}"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    closed, left = done.stderr.strip().split("] [")
    assert not {"0", "1"} & set(closed.strip("[").split(", "))
    assert left == "'/dev/null', '/dev/null']"
