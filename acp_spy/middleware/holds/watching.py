"""
A viewer that stays: what a run holds at any time, and actions on it, beside somebody's own loop.

The socket is read and written in a thread, so that neither a screen nor a server ever waits for it.
"""

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

import msgspec

from acp_spy.errors import AcpSpyError, reason_of
from acp_spy.middleware.holds.client import ControlClient, UnreadableError, connect

_BETWEEN = 0.1  # seconds between two lists at least
_FRESH = 1.0  # seconds after which a list is old, while something is held

Act = Callable[[ControlClient], Any]
Done = Callable[[Any, AcpSpyError | None], None]


class Holding(msgspec.Struct, frozen=True):
    """
    What a run holds, and by which filter; entries as in docs/intercept.md, without bytes.

    `end` says why nothing more is known: the run has ended, or has no socket.
    """

    is_attached: bool = False
    held: tuple[dict[str, Any], ...] = ()
    filter: tuple[str, ...] = ()
    faults: tuple[dict[str, Any], ...] = ()
    viewers: int = 0
    timeout: float = 0.0
    end: str = ""


class Watch:
    """
    Attaches to the run that records `capture`, until it is closed or the run has ended.

    `now` is what is held. `on_change` is called after each change of it, and `on_event` for each
    event, both in the thread of the watch: pass on what they tell, and return.
    """

    def __init__(
        self,
        capture: str,
        on_change: Callable[[], None] = lambda: None,
        on_event: Callable[[dict[str, Any]], None] = lambda _event: None,
    ) -> None:
        self.now = Holding()
        self._capture = capture
        self._on_change, self._on_event = on_change, on_event
        self._jobs: SimpleQueue[tuple[Act, Done] | None] = SimpleQueue()
        self._lock = Lock()  # for the pipe, which is closed in the end
        self._is_over = False
        self._woken, self._waker = os.pipe()
        self._thread = Thread(target=self._run, name="acp-spy watch", daemon=True)

    def start(self) -> None:
        """Attach. Frames are held from then on."""
        self._thread.start()

    def close(self) -> None:
        """Detach, without waiting for it."""
        self._put(None)

    def join(self) -> None:
        """Wait until it is detached."""
        self._thread.join()

    def do(self, act: Act, done: Done = lambda _result, _error: None) -> None:
        """
        Have something done by `act`, which gets the connection, one after the other.

        `done` gets what it returned, or why it failed; it is called in the thread of the watch, and
        not at all if that is over.
        """
        self._put((act, done))

    def _put(self, job: tuple[Act, Done] | None) -> None:
        self._jobs.put(job)
        with self._lock:
            if not self._is_over:
                os.write(self._waker, b"!")

    def _run(self) -> None:
        end = ""
        try:
            with connect(self._capture) as client:
                self._watch(client)
        except AcpSpyError as error:
            end = error.message
        except Exception as error:  # noqa: BLE001 - the viewer must show it
            end = reason_of(error)
        self._change(Holding(end=end or "detached"))
        with self._lock:
            self._is_over = True
            os.close(self._woken)
            os.close(self._waker)

    def _watch(self, client: ControlClient) -> None:
        self._take(client, client.ask("attach", brief=True))
        sources: list[Any] = [client, self._woken]
        last, is_old = time.monotonic(), False
        while True:
            limit = _BETWEEN if is_old else _FRESH if self.now.held else None
            wait = None if limit is None else max(0.0, last + limit - time.monotonic())
            ready: list[Any] = [client]
            if not client.has_event:
                ready = select.select(sources, [], [], wait)[0]
            if self._woken in ready:
                os.read(self._woken, 64)
                if not self._work(client):
                    return
                is_old = True
            if client in ready:
                with suppress(UnreadableError):  # the list has what is held
                    self._on_event(client.next_event())
                is_old = True
            if is_old or not ready:
                is_due = time.monotonic() >= last + _BETWEEN
                if is_due and not client.has_event:
                    self._take(client, client.ask("list", brief=True))
                    last, is_old = time.monotonic(), False

    def _work(self, client: ControlClient) -> bool:
        """Do what has been asked for. `False` if that is to end."""
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return True
            if job is None:
                return False
            act, done = job
            try:
                result, error = act(client), None
            except AcpSpyError as failure:
                result, error = None, failure
            done(result, error)

    def _take(self, client: ControlClient, reply: dict[str, Any]) -> None:
        self._change(
            Holding(
                is_attached=True,
                held=tuple(reply["held"]),
                filter=tuple(reply["filter"]),
                faults=tuple(client.ask("faults")["faults"]),
                viewers=reply["viewers"],
                timeout=reply["timeout"],
            )
        )

    def _change(self, now: Holding) -> None:
        self.now = now
        self._on_change()
