"""
Room for our own descriptors, beside a limit on open files that was meant for the agent.

Between client and agent we need a dozen more than the agent alone. The soft limit is only advice
that a process gives itself, so ours is raised, as far as the hard one lets us; the agent gets the
one that it would have had.
"""

import resource
from contextlib import suppress

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

_OURS = 32  # descriptors: pipes, capture, checker, and a module that is being loaded


def make_room(count: int = _OURS) -> "Callable[[], None]":
    """Allow this process so many more open files; return what puts the limit back."""
    soft, hard = before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = soft + count if hard == resource.RLIM_INFINITY else min(soft + count, hard)
    if soft != resource.RLIM_INFINITY and wanted > soft:
        with suppress(OSError, ValueError):  # a sandbox; then we try with what there is
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

    def put_back() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    return put_back
