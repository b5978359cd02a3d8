"""
Carry bytes for as long as they come: the way of nearly every byte, without a scheduler.

A wake-up by trio costs fifteen microseconds, one by the kernel's own call less than one. So the
descriptors are in an epoll of our own, which is itself a descriptor. trio waits for that one
(`driven.py`); once it wakes us, we stay for as long as something comes, a few milliseconds at most.
A carrier needs nothing but the kernel: it carries while trio is loaded, and also without trio.
"""

import select
from select import POLLIN, POLLOUT
from time import monotonic

from acp_spy.engine.ready import FOR_EVER

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int], None]

_LINGER = 0.001  # seconds without anything after which trio's tasks get their turn
_AT_MOST = 0.005  # seconds after which they get it even though something keeps coming
_SOON = 0.05


class Carrier:
    """
    Descriptors, the events that are of interest, and who handles them.

    That a reader or a writer has gone is always of interest. All methods return at once, except
    `turn`, which waits as long as it is told to.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self._always_ready: dict[int, int] = {}  # files and devices, which epoll refuses
        self._poller = _make_poller()

    @property
    def is_always_ready(self) -> bool:
        """Whether there is something to do in any case."""
        return bool(self._always_ready)

    def fileno(self) -> int:
        """Return what is readable when there is something to do; -1 where nothing can be."""
        return self._poller.fileno()

    def watch(self, descriptor: int, events: int, handler: "Handler") -> None:
        """Have `handler` called with what happens to `descriptor`, from now on."""
        poller = self._poller
        ask = poller.modify if descriptor in self._handlers else poller.register
        self._handlers[descriptor] = handler
        self._always_ready.pop(descriptor, None)
        try:
            ask(descriptor, events)
        except PermissionError:
            if events & (POLLIN | POLLOUT):
                self._always_ready[descriptor] = events

    def forget(self, descriptor: int) -> None:
        """Have no events of interest any more; before the descriptor is closed."""
        if self._handlers.pop(descriptor, None) is None:
            return
        self._always_ready.pop(descriptor, None)
        try:  # noqa: SIM105 - contextlib is slower, and one import more
            self._poller.unregister(descriptor)
        except PermissionError:
            pass  # one that epoll has refused

    def turn(self, seconds: float) -> bool:
        """Handle what there is, or else what comes within `seconds`; `False` if nothing does."""
        if self._always_ready:
            seconds = 0
        events = self._poller.poll(None if seconds == FOR_EVER else seconds)
        if self._always_ready:
            events += self._always_ready.items()
        for descriptor, what in events:
            handler = self._handlers.get(descriptor)  # none, if one before it had it forgotten
            if handler is not None:
                handler(what)
        return bool(events)

    def carry(self) -> None:
        """Handle what there is, and what comes soon after."""
        end = monotonic() + _AT_MOST
        while self.turn(_LINGER) and monotonic() < end:
            pass

    def is_woken(self) -> bool:
        """
        Whether there is something to do soon; it is left undone. For a thread to wait by.

        What becomes of interest meanwhile it does not see, so it is asked again and again. `turn`
        is not called meanwhile: two threads may not wait by one `poll`.
        """
        return bool(self._poller.poll(_SOON))

    def close(self) -> None:
        """Let go of what the carrier itself holds."""
        self._poller.close()


class _Poll:
    """What is here in place of epoll: it is no descriptor, so that trio cannot wait for it."""

    def __init__(self) -> None:
        poll = select.poll()
        self.register, self.modify, self.unregister = poll.register, poll.modify, poll.unregister
        self._poll = poll.poll

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        pass

    def poll(self, seconds: float | None) -> list[tuple[int, int]]:
        return self._poll(None if seconds is None else seconds * 1000)


def _make_poller() -> "select.epoll | _Poll":
    """Return an epoll, except where there is none, as on macOS, or no descriptor for one."""
    try:
        return select.epoll()
    except (AttributeError, OSError):
        return _Poll()
