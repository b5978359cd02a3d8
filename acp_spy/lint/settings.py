"""
How to check, as a project has it written down: `[tool.acp-spy]`, or `acp-spy.toml`.

A key that is not known, or a value that cannot be meant, is refused. What is passed over in
silence is believed to be in force.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import msgspec

from acp_spy.dialect.known import choices
from acp_spy.errors import AcpSpyError
from acp_spy.lint.budgets import KEYS as BUDGETS
from acp_spy.lint.budgets import Budgets, budgets_from, shown_value
from acp_spy.lint.rule import Severity
from acp_spy.lint.select import split
from acp_spy.units import either

FailOn = Literal["error", "warning", "note", "never"]
Spec = Literal["auto", "v1", "v1-unstable", "v2"]
if TYPE_CHECKING:
    Dialect = str  # which names there are is known at run time only
else:
    Dialect = Literal[choices()]
Format = Literal["full", "concise", "json", "github", "sarif", "junit"]


class Settings(msgspec.Struct, frozen=True):
    """How to check; the defaults are used where nothing is set."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    fail_on: FailOn = "error"
    spec: Spec = "auto"
    dialect: Dialect = "auto"
    format: Format = "full"
    budgets: Budgets = Budgets()


_LEVELS = tuple(level.value for level in Severity)
_CHOICES: dict[str, tuple[str, ...]] = {
    "fail-on": get_args(FailOn),
    "spec": get_args(Spec),
    "dialect": choices(),
    "format": get_args(Format),
}
KEYS = ("select", "ignore", "severity", *_CHOICES, *BUDGETS)


def settings_from(table: Mapping[str, Any], source: str) -> Settings:
    """Return the settings in `table`; `source` is the file that it is in, for errors."""
    found: dict[str, Any] = {}
    budgets = {key: value for key, value in table.items() if key in BUDGETS}
    try:
        found["budgets"] = Budgets(**budgets_from(budgets))
    except AcpSpyError as error:
        raise AcpSpyError(f"{source}: {error.message}", hint=error.hint) from None
    for key, value in table.items():
        if key in ("select", "ignore"):
            found[key] = _words(value, key, source)
        elif key == "severity":
            found[key] = _severity(value, source)
        elif key in BUDGETS:
            continue
        elif key in _CHOICES:
            found[key.replace("-", "_")] = _choice(value, key, _CHOICES[key], source)
        else:
            near = get_close_matches(key.replace("_", "-"), KEYS, n=1)
            guess = f"did you mean `{near[0]}`? " if near else ""
            raise AcpSpyError(
                f"{source}: no such key: `{key}`", hint=f"{guess}The keys are {_listed(KEYS)}"
            )
    return Settings(**found)


def severity_from(words: Iterable[str]) -> dict[str, Severity]:
    """Return the severities of a command line: `RPC007=warning,SCH=note`."""
    found: dict[str, Severity] = {}
    for word in split(words):
        name, _, level = word.partition("=")
        if level not in _LEVELS:
            levels = either(f"`{each}`" for each in _LEVELS)
            raise AcpSpyError(
                f"no such severity: `{level}` in `{word}`"
                if level
                else f"missing severity: `{word}`",
                hint=f"write it as CODE=SEVERITY; the severity is {levels}",
            )
        found[name] = Severity(level)
    return found


def _words(value: Any, key: str, source: str) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        _refuse(value, key, source, 'a list of codes, families or names, as in ["RPC", "FRM001"]')
    return tuple(dict.fromkeys(split(words)))  # each is looked for in all rules


def _severity(value: Any, source: str) -> dict[str, Severity]:
    if not isinstance(value, dict):
        _refuse(value, "severity", source, 'a table, as in {RPC007 = "warning"}')
    return {
        word: Severity(_choice(level, f"severity.{word}", _LEVELS, source))
        for word, level in value.items()
    }


def _choice(value: Any, key: str, legal: tuple[str, ...], source: str) -> str:
    if value not in legal:
        _refuse(value, key, source, f"one of {_listed(legal)}")
    return str(value)


def _refuse(value: Any, key: str, source: str, expected: str) -> NoReturn:
    raise AcpSpyError(f"{source}: `{key}` is {_shown(value)}", hint=f"expected {expected}")


def _shown(value: Any) -> str:
    is_shown = isinstance(value, str | int | float)
    return shown_value(value) if is_shown else f"a {type(value).__name__}"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)
