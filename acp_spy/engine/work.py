"""
Something to carry until it is over, and by whom: alone at first, by trio once that is loaded.

Whatever is wrong with trio, the work is carried to its end all the same: what is on its way is in
the work, not in a task.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from acp_spy.engine.carrier import Carrier

if TYPE_CHECKING:
    from acp_spy.engine.loading import Loading

_SILENCE = 0.05  # seconds


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


def carry_alone(work: Work, is_enough: Callable[[], bool] = lambda: False) -> None:
    """Carry without trio until it is over, or enough."""
    while not work.is_over and not is_enough():
        work.do_due(silent=not work.carrier.turn(work.patience))


def carry(work: Work, loading: "Loading", by_trio: Callable[[], bool]) -> None:
    """Carry until it is over; `by_trio` is called when trio is loaded, and may fail."""
    if _carry_to_silence(work):
        loading.start()
        loading.wake(work.carrier)
        carry_alone(work, lambda: loading.is_over or work.is_ending)
        work.carrier.forget(loading.done)
        if not work.is_ending and by_trio():
            return
    carry_alone(work)


def _carry_to_silence(work: Work) -> bool:
    """Carry to a silence, in which nobody minds that trio is loaded; `False` if none comes."""
    while not work.is_ending:
        patience = work.patience
        came = work.carrier.turn(min(patience, _SILENCE))
        if not came and patience > _SILENCE:
            return True
        work.do_due(silent=not came)
    return False
