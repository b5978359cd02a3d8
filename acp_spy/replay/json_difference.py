"""Where two JSON values differ: places as JSON Pointers, with the values of either side."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from acp_spy.wire.pointer import spell

Path = tuple[str | int, ...]


class Absent(msgspec.Struct, frozen=True):
    """No value, which is not the same as `null`."""


ABSENT = Absent()


class Difference(msgspec.Struct, frozen=True):
    """
    A place, what was recorded there, and what came.

    The `_means` say what a value comes to where it does not say so itself: an id of an option.
    """

    path: str
    recorded: Any
    live: Any
    recorded_means: str = ""
    live_means: str = ""


def differences(
    recorded: Any, live: Any, skip: Callable[[Path], bool] = lambda _: False, at: Path = ()
) -> Iterator[Difference]:
    """Give the places where two values differ, from the top down, except those to `skip`."""
    if skip(at):
        return
    if isinstance(recorded, dict) and isinstance(live, dict):
        for key in dict.fromkeys([*recorded, *live]):
            one, other = recorded.get(key, ABSENT), live.get(key, ABSENT)
            yield from differences(one, other, skip, (*at, key))
    elif isinstance(recorded, list) and isinstance(live, list):
        for index in range(max(len(recorded), len(live))):
            one = recorded[index] if index < len(recorded) else ABSENT
            other = live[index] if index < len(live) else ABSENT
            yield from differences(one, other, skip, (*at, index))
    elif not _equal(recorded, live):
        yield Difference(spell(*at), recorded, live)


def _equal(one: Any, other: Any) -> bool:
    """Whether two leaves are the same JSON value: 1 is 1.0, but `true` is no number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
