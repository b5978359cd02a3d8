"""
Something to carry until it is over, and by whom: alone at first, by trio once that is loaded.

Many agents are up before trio is imported. So a thread does that, in a silence: while much is
carried, the two would get in each other's way. Whatever is wrong with trio, the work is carried to
its end all the same: what is on its way is in the work, not in a task.
"""

import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from acp_spy.engine.carrier import Carrier

if TYPE_CHECKING:
    from types import ModuleType

_SILENCE = 0.05  # seconds
# Seconds for which the thread may keep the interpreter from the carrier.
_SWITCH_INTERVAL, _USUAL_INTERVAL = 0.00005, sys.getswitchinterval()


class Work(Protocol):
    """What is to be carried. `driven.carry` does it by trio."""

    carrier: Carrier

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to do."""

    @property
    def is_ending(self) -> bool:
        """Whether it will be over so soon that it is not handed to trio any more; or is over."""

    @property
    def patience(self) -> float:
        """For how many seconds to wait for what comes."""

    def do_due(self, *, silent: bool) -> None:
        """Do what is due after something came, or after it was `silent` for as long as that."""


def carry_alone(work: Work) -> None:
    """Carry without trio until it is over."""
    while not work.is_over:
        work.do_due(silent=not work.carrier.turn(work.patience))


def carry(work: Work, loading: "Loading", by_trio: Callable[[], bool]) -> None:
    """Carry until it is over; `by_trio` is called when trio is loaded, and may fail."""
    while not work.is_ending and not loading.is_over:
        patience = work.patience
        came = work.carrier.turn(min(patience, _SILENCE))
        if came or patience <= _SILENCE:
            work.do_due(silent=not came)
        else:
            loading.start()
    if work.is_ending or not by_trio():
        carry_alone(work)


class Loading:
    """A module that uses trio, on its way once it is started; it `is_over` even if that failed."""

    is_over = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None
        self._error: BaseException | None = None
        self._is_started = False
        self._held_meanwhile = allocate_lock()

    def start(self) -> None:
        """Begin to load it, unless that was begun before."""
        if self._is_started:
            return
        self._is_started = True
        self._held_meanwhile.acquire()
        sys.setswitchinterval(_SWITCH_INTERVAL)
        try:
            start_new_thread(self._load, ())
        except (RuntimeError, MemoryError) as error:  # as many threads as the user may have
            self._error = error
            self._end()

    def run(self, name: str, *args: Any) -> BaseException | None:
        """Run a function of the module by trio; return why that was not possible."""
        self.start()
        with self._held_meanwhile:
            if self._module is None:
                return self._error
        try:
            self._module.trio.run(getattr(self._module, name), *args)
        except (OSError, MemoryError) as error:  # of trio; what a nursery raises is a group
            return error
        return None

    def _load(self) -> None:
        try:
            self._module = import_module(self._name)
        except BaseException as error:  # noqa: BLE001 - whatever: traffic does not depend on it
            self._error = error
        self._end()

    def _end(self) -> None:
        self.is_over = True
        sys.setswitchinterval(_USUAL_INTERVAL)
        self._held_meanwhile.release()
