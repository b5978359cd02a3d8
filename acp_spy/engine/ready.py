"""Wait for descriptors, once, where no loop is needed or none is running."""

from select import POLLERR, POLLHUP, POLLIN, POLLNVAL, poll

GONE = POLLERR | POLLHUP | POLLNVAL
FOR_EVER = float("inf")  # seconds


def poll_once(wanted: dict[int, int], seconds: float = 0) -> dict[int, int]:
    """Return what is true of any of these descriptors within `seconds`; -1 is none."""
    poller = poll()
    for descriptor, events in wanted.items():
        if descriptor >= 0:
            poller.register(descriptor, events)
    return dict(poller.poll(None if seconds == FOR_EVER else max(0, seconds) * 1000))


def events_at(descriptor: int, wanted: int = 0, seconds: float = 0) -> int:
    """Return what is true of `descriptor` within `seconds`."""
    return poll_once({descriptor: wanted}, seconds).get(descriptor, 0)


def is_gone(descriptor: int) -> bool:
    """Whether nobody is at the other end any more."""
    return bool(events_at(descriptor) & GONE)


def is_readable(descriptor: int, seconds: float = 0) -> bool:
    """Whether there is something to read, or the end, within `seconds`."""
    return bool(events_at(descriptor, POLLIN, seconds))
