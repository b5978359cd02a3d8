"""
Load a module by a thread, so that the traffic need not wait for it.

trio takes 0.1 s to import, many agents are up sooner than that, and a proxy that answers later than
the agent would be felt. Meanwhile the carrier carries. Even so the two would get in each other's
way while much is carried, so `work.py` awaits the first silence.
"""

import os
import sys
from _thread import start_new_thread
from importlib import import_module
from select import POLLIN

from acp_spy.engine.ready import FOR_EVER, is_readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from acp_spy.engine.carrier import Carrier

# Seconds for which that thread may keep the interpreter from the carrier.
_SWITCH_INTERVAL, _USUAL_INTERVAL = 0.0002, sys.getswitchinterval()


class Loading:
    """A module on its way, once it is started; `done` is readable when it is over, or -1."""

    def __init__(self, name: str) -> None:
        self.module: ModuleType | None = None
        self.error: BaseException | None = None
        self._name = name
        self.done = self._held_until_then = -1

    @property
    def is_over(self) -> bool:
        """Whether it has been loaded, or could not be."""
        return self.module is not None or self.error is not None

    def start(self) -> None:
        """Begin to load it, unless that was begun before."""
        if self.done >= 0 or self.is_over:
            return
        try:
            self.done, self._held_until_then = os.pipe()
            sys.setswitchinterval(_SWITCH_INTERVAL)
            start_new_thread(self._load, ())
        # Too many open files; as many processes and threads as the user may have.
        except (OSError, RuntimeError, MemoryError) as error:
            self.error = error
            sys.setswitchinterval(_USUAL_INTERVAL)
            if self.done >= 0:
                os.close(self._held_until_then)

    def wake(self, carrier: "Carrier") -> None:
        """Have `carrier` woken when it is over."""
        if self.done >= 0:
            carrier.watch(self.done, POLLIN, lambda _events: carrier.forget(self.done))

    def wait(self) -> None:
        """Wait until it is over."""
        self.start()
        if self.done >= 0:
            is_readable(self.done, FOR_EVER)
            os.close(self.done)
            self.done = -1

    def run(self, name: str, *args: "Any") -> BaseException | None:
        """Run a function of the module by trio; return why that was not possible."""
        self.wait()
        if self.module is None:
            return self.error
        try:
            self.module.trio.run(getattr(self.module, name), *args)
        except (OSError, MemoryError) as error:  # of trio itself: tasks raise theirs in a group
            return error
        return None

    def _load(self) -> None:
        try:
            self.module = import_module(self._name)
        except BaseException as error:  # noqa: BLE001 - whatever it is: traffic does not depend on it
            self.error = error
        finally:
            sys.setswitchinterval(_USUAL_INTERVAL)
            os.close(self._held_until_then)
