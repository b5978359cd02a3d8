"""Taps that keep no secrets, and let no traffic wait for that."""

from collections.abc import Callable

from acp_spy.engine.backlog import Backlog, Worker
from acp_spy.engine.tap import Tap
from acp_spy.secrets.redactor import Redactor


def redacting_taps(complain: Callable[[str], None]) -> Callable[[int], Tap]:
    """Return what makes taps for runs that began then, in ns. They share one thread."""
    worker = Worker()
    return lambda started_ns: Tap(started_ns, complain, Redactor(), Backlog(worker))
