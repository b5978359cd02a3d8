"""
Load a module by a thread, so that the traffic need not wait for it.

trio takes 0.1 s to import, many agents are up sooner than that, and a proxy that answers later than
the agent would be felt. Meanwhile the carrier carries. Even so the two would get in each other's
way while much is carried, so `work.py` awaits the first silence.
"""

import sys
from _thread import allocate_lock, start_new_thread
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# Seconds for which that thread may keep the interpreter from the carrier.
_SWITCH_INTERVAL, _USUAL_INTERVAL = 0.0002, sys.getswitchinterval()


class Loading:
    """A module on its way, once it is started; that `is_over` when it is loaded, or cannot be."""

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

    def run(self, name: str, *args: "Any") -> BaseException | None:
        """Run a function of the module by trio; return why that was not possible."""
        self.start()
        with self._held_meanwhile:
            if self._module is None:
                return self._error
        try:
            self._module.trio.run(getattr(self._module, name), *args)
        except (OSError, MemoryError) as error:  # of trio itself: tasks raise theirs in a group
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
