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


def carry_alone(work: Work) -> None:
    """Carry without trio until it is over."""
    while not work.is_over:
        work.do_due(silent=not work.carrier.turn(work.patience))


def carry(work: Work, loading: "Loading", by_trio: Callable[[], bool]) -> None:
    """
    Carry until it is over; `by_trio` is called when trio is loaded, and may fail.

    That is begun in a silence, in which nobody minds it.
    """
    while not work.is_ending and not loading.is_over:
        patience = work.patience
        came = work.carrier.turn(min(patience, _SILENCE))
        if came or patience <= _SILENCE:
            work.do_due(silent=not came)
        else:
            loading.start()
    if work.is_ending or not by_trio():
        carry_alone(work)
