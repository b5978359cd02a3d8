"""
What a project expects of its own conversations: how long something may take, which tools are used.

These are not rules of the protocol. A rule of the family BUD runs only if its budget is set.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from acp_spy.errors import AcpSpyError

_LONGEST = 1e18  # seconds


class Budgets(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is expected; times are in seconds, and nothing is expected where nothing is set."""

    max_duration: dict[str, float] = {}  # by method
    max_turn: float | None = None
    max_first_update: float | None = None
    expect_tool: tuple[str, ...] = ()
    forbid_tool: tuple[str, ...] = ()
    expect_stop: tuple[str, ...] = ()

    @property
    def set_ones(self) -> dict[str, Any]:
        """Those that are set, by name."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    @property
    def options(self) -> str:
        """The options of `acp-spy check` that set them."""
        words = []
        for name, value in self.set_ones.items():
            option = f"--{name.replace('_', '-')}"
            if isinstance(value, dict):
                words += [f"{option} {method}={seconds:g}s" for method, seconds in value.items()]
            elif isinstance(value, list | tuple):
                words += [f"{option} {word}" for word in value]
            else:
                words.append(f"{option} {value:g}s")
        return " ".join(words)


KEYS = tuple(name.replace("_", "-") for name in Budgets.__struct_fields__)


def budgets_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the budgets of a settings file or a command line by their names, as `Budgets` has them.

    A value of the wrong kind raises `AcpSpyError`.
    """
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name == "max_duration":
            found[name] = _durations(value)
        elif name.startswith("max_"):
            found[name] = _seconds(value, key)
        else:
            words = [value] if isinstance(value, str) else value
            if not isinstance(words, list | tuple) or not all(isinstance(w, str) for w in words):
                raise AcpSpyError(f"`{key}` is not a name or a list of names")
            found[name] = tuple(words)
    return found


def durations_from(words: Iterable[str]) -> dict[str, str]:
    """Return the durations of a command line: `initialize=2s`."""
    found = {}
    for word in words:
        method, equals, time = word.rpartition("=")
        if not equals or not method:
            raise AcpSpyError(
                f"`{word}` is not a method and a time", hint="write it as `session/new=5s`"
            )
        found[method] = time
    return found


def _durations(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise AcpSpyError("`max-duration` is not a table", hint='use {initialize = "2s"}')
    return {str(method): _seconds(time, f"max-duration.{method}") for method, time in value.items()}


def shown_value(value: str | float) -> str:
    """Return a word or a number for a message; Python does not spell a number of any length."""
    is_huge = not isinstance(value, str) and abs(value) > _LONGEST
    return "a huge number" if is_huge else f"`{value}`"


def _seconds(value: Any, key: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LONGEST:
        return float(value)
    if isinstance(value, str) and value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    from acp_spy.capture.pruning import seconds_of  # it knows folders, which the checker must not

    try:
        return seconds_of(value)
    except (AcpSpyError, TypeError):
        shown = shown_value(value) if isinstance(value, str | int | float) else "not a time"
        raise AcpSpyError(
            f"`{key}` is {shown}", hint="expected a time: `500ms`, `30s` or `2m`"
        ) from None
