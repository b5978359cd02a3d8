"""What was found out about a list that a peer has announced, so that the list is read once."""

from collections.abc import Callable
from typing import Any, TypeVar

_Announced = TypeVar("_Announced")
_Found = TypeVar("_Found")


class Readings:
    """
    What functions have returned for a value, each for the last value that it was given.

    A list of modes is announced once, and a request that names one of them is small. Somebody who
    means harm announces thousands and sends as many requests: to go through the list at each of
    them would take hours. A value is known by its identity, as nobody changes what was decoded.
    """

    def __init__(self) -> None:
        self._found: dict[Callable[[Any], Any], tuple[Any, Any]] = {}

    def of(self, read: Callable[[_Announced], _Found], announced: _Announced) -> _Found:
        """Return `read(announced)`; it is called only if its last value was another."""
        known = self._found.get(read)
        if known is None or known[0] is not announced:
            known = self._found[read] = announced, read(announced)
        found: _Found = known[1]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readings)  # two states are equal whatever was asked about them

    __hash__ = None  # type: ignore[assignment]
