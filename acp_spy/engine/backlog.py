"""Work that the traffic does not wait for: done in turn, by a thread that ends with it."""

import sys
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from threading import Condition

_MOST = 64 * 1024 * 1024  # bytes that may wait; if there are more, the traffic waits, too
_TURN = 0.0005  # seconds after which the traffic has its turn again, from now on


class Backlog:
    """Does what it is given in the order in which it was given."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._size = 0
        self._has_changed = Condition()

    @property
    def is_empty(self) -> bool:
        """Whether all is done."""
        return not self._waiting

    def put(self, size: int, work: Callable[[], None]) -> None:
        """Have `work` done later, which must not raise; it is about so many bytes."""
        with self._has_changed:
            self._has_changed.wait_for(lambda: self._size < _MOST)
            self._size += size
            self._waiting.append((size, work))
            if len(self._waiting) > 1:
                return
        sys.setswitchinterval(_TURN)
        try:
            start_new_thread(self._work, ())
        except (RuntimeError, MemoryError):  # there are as many threads as there may be
            self._work()

    def wait(self, seconds: float) -> bool:
        """Wait so long until all is done, and return whether it is."""
        with self._has_changed:
            return self._has_changed.wait_for(lambda: self.is_empty, seconds)

    def _work(self) -> None:
        while self._waiting:
            size, work = self._waiting[0]
            try:
                work()
            finally:
                with self._has_changed:
                    self._size -= size
                    self._waiting.popleft()
                    is_last = not self._waiting
                    self._has_changed.notify_all()
            if is_last:  # by now another thread may be at the next
                return
