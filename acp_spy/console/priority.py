"""A low priority for the processes beside the console: keys and the traffic come first."""

import os
from contextlib import suppress

_NICENESS = 5  # with more, a busy machine starves them
_GROUP = "/proc/self/autogroup"


def lower() -> None:
    """
    Let others go first, from now on.

    They are sessions of their own, and where Linux shares the processor among sessions first
    (`sched_autogroup_enabled`), niceness counts only within one: so the session is made nice, too.
    """
    os.nice(_NICENESS)
    if os.getsid(0) == os.getpid():  # not that of a shell
        with suppress(OSError), open(_GROUP, "w", encoding="ascii") as group:
            group.write(str(_NICENESS))
