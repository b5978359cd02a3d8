"""Wait for one descriptor, once, where no loop is needed or none is running."""

from select import POLLERR, POLLHUP, POLLIN, POLLNVAL, poll

GONE = POLLERR | POLLHUP | POLLNVAL
FOR_EVER = float("inf")  # seconds


def events_at(descriptor: int, wanted: int = 0, seconds: float = 0) -> int:
    """Return what is true of `descriptor` within `seconds`."""
    poller = poll()
    poller.register(descriptor, wanted)
    events = poller.poll(None if seconds == FOR_EVER else seconds * 1000)
    return events[0][1] if events else 0


def is_gone(descriptor: int) -> bool:
    """Whether nobody is at the other end any more."""
    return bool(events_at(descriptor) & GONE)


def is_readable(descriptor: int, seconds: float = 0) -> bool:
    """Whether there is something to read, or the end, within `seconds`."""
    return bool(events_at(descriptor, POLLIN, seconds))
