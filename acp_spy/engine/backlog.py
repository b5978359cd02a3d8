"""Work that the traffic does not wait for: done in turn, by one thread that ends with it."""

import sys
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from threading import Condition

_MOST = 64 * 1024 * 1024  # bytes that may wait; if there are more, the traffic waits, too
_TURN = 0.0005  # seconds after which the traffic has its turn again, from now on


class Worker:
    """
    Does what is in backlogs: of each, one thing after another.

    One thread for all of them: the traffic would have to share the interpreter with each.
    """

    def __init__(self) -> None:
        self._turns: deque[Backlog] = deque()  # those that are not empty, the next one first
        self._size = 0
        self.has_changed = Condition()

    def add(self, backlog: "Backlog", size: int, work: Callable[[], None]) -> None:
        """Put something into a backlog, as soon as there is room for it."""
        with self.has_changed:
            self.has_changed.wait_for(lambda: self._size < _MOST)
            self._size += size
            backlog.waiting.append((size, work))
            if len(backlog.waiting) > 1:
                return
            self._turns.append(backlog)
            if len(self._turns) > 1:
                return
        sys.setswitchinterval(_TURN)
        try:
            start_new_thread(self._work, ())
        except (RuntimeError, MemoryError):  # there are as many threads as there may be
            self._work()

    def _work(self) -> None:
        while self._turns:
            backlog = self._turns[0]
            size, work = backlog.waiting[0]
            try:
                work()
            finally:
                with self.has_changed:
                    self._size -= size
                    backlog.waiting.popleft()
                    self._turns.popleft()
                    if backlog.waiting:  # after the others, none of which waits for all of it
                        self._turns.append(backlog)
                    is_last = not self._turns
                    self.has_changed.notify_all()
            if is_last:  # by now another thread may be at the next
                return


class Backlog:
    """What one capture has to do, in the order in which it was given."""

    def __init__(self, worker: Worker | None = None) -> None:
        self._worker = worker or Worker()
        self.waiting: deque[tuple[int, Callable[[], None]]] = deque()  # of `worker`

    @property
    def is_empty(self) -> bool:
        """Whether all is done."""
        return not self.waiting

    def put(self, size: int, work: Callable[[], None]) -> None:
        """Have `work` done later, which must not raise; it is about so many bytes."""
        self._worker.add(self, size, work)

    def when_empty(self, call: Callable[[], None]) -> None:
        """Have `call` called, in whichever thread, when all that was put is done."""
        with self._worker.has_changed:
            if self.waiting:
                self.waiting.append((0, call))
                return
        call()

    def wait(self, seconds: float) -> bool:
        """Wait so long until all is done, and return whether it is."""
        with self._worker.has_changed:
            return self._worker.has_changed.wait_for(lambda: self.is_empty, seconds)
