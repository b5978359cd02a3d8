"""
Carry bytes for as long as they come: the way of nearly every byte, without a scheduler.

The descriptors are in an epoll of our own, which is itself a descriptor: trio waits for that one
(`driven.py`). A carrier needs nothing but the kernel, so it carries while trio is loaded, too.
"""

import select
from select import POLLIN, POLLOUT
from time import monotonic

from acp_spy.engine.ready import FOR_EVER

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int], object]

_AT_MOST = 5  # times as long: then they get it even though something keeps coming
_SOON = 0.05
_EVENTS = 16  # at once: more than we watch; epoll makes room for a thousand, each time


class Carrier:
    """
    Descriptors, the events that are of interest, and who handles them.

    That a reader or a writer has gone is always of interest. `fileno` is of a descriptor that is
    readable when there is something to do, or -1: macOS has no epoll, and poll is no descriptor.
    """

    linger = 0.001  # seconds without anything after which trio's tasks get their turn
    fileno: "Callable[[], int]"
    _wait: "Callable[[float | None, int], list[tuple[int, int]]]"

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self.always_ready: dict[int, int] = {}  # files and devices, which epoll refuses
        try:
            self._poller: select.epoll | select.poll = (epoll := select.epoll())
            self._wait, self.fileno, self.close = epoll.poll, epoll.fileno, epoll.close
        except (AttributeError, OSError):  # there is none, or no descriptor for one
            self._poller = poll = select.poll()
            self._wait = lambda seconds, _: poll.poll(seconds and seconds * 1000)
            self.fileno, self.close = lambda: -1, lambda: None

    def watch(self, descriptor: int, events: int, handler: "Handler") -> None:
        """Have `handler` called with what happens to `descriptor`, from now on."""
        poller = self._poller
        ask = poller.modify if descriptor in self._handlers else poller.register
        self._handlers[descriptor] = handler
        self.always_ready.pop(descriptor, None)
        try:
            ask(descriptor, events)
        except PermissionError:
            if events & (POLLIN | POLLOUT):
                self.always_ready[descriptor] = events

    def forget(self, descriptor: int) -> None:
        """Have no events of interest any more; before the descriptor is closed."""
        if self._handlers.pop(descriptor, None) is None:
            return
        self.always_ready.pop(descriptor, None)
        try:  # noqa: SIM105 - contextlib is slower, and one import more
            self._poller.unregister(descriptor)
        except PermissionError:
            pass  # one that epoll has refused

    def turn(self, seconds: float) -> list[tuple[int, int]]:
        """Handle and return what there is, or else what comes within `seconds`; or nothing."""
        if self.always_ready:
            events = [*self._wait(0, _EVENTS), *self.always_ready.items()]
        else:
            events = self._wait(None if seconds == FOR_EVER else seconds, _EVENTS)
        handlers = self._handlers
        for descriptor, what in events:
            if descriptor in handlers:  # else one before it had it forgotten
                handlers[descriptor](what)
        return events

    def carry(self) -> None:
        """Handle what there is, and what comes soon after."""
        end = monotonic() + _AT_MOST * self.linger
        while self.turn(self.linger) and monotonic() < end:
            pass

    def is_woken(self) -> bool:
        """Whether there is something to do soon; it is left undone. For a thread to wait by."""
        # Soon: what becomes of interest meanwhile it does not see.
        return bool(self._wait(_SOON, _EVENTS))
