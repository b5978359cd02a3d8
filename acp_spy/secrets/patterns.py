"""What a user wants redacted in addition to the known kinds of secrets, checked for all callers."""

import re
from collections.abc import Iterable, Iterator

from acp_spy.errors import AcpSpyError
from acp_spy.secrets.option_matches import OptionMatches
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.pointer import steps


class Patterns:
    """
    The options of `redact`: names, regular expressions, JSON Pointers, and what is no secret.

    Raises `AcpSpyError` for what is empty, not a regular expression, or not a JSON Pointer.
    `matches` says what they have matched, in all that its redactors have read.
    """

    def __init__(
        self,
        names: Iterable[str],
        values: Iterable[str],
        pointers: Iterable[str],
        allowed: Iterable[str],
        *,
        home: bool,
        user: bool,
    ) -> None:
        self._names = _not_empty("--key", names)
        self._values = tuple(map(_compiled, _not_empty("--value", values)))
        self._pointers = tuple(map(_checked, _not_empty("--path", pointers)))
        self._allowed = tuple(map(_compiled, _not_empty("--allow", allowed)))
        self._home = home
        self._user = user
        self.matches = OptionMatches()

    def redactor(self) -> Redactor:
        """Return what redacts all of this in a capture."""
        persons = self._persons()
        redactor = Redactor(self._names, self._values, self._pointers, persons, self._allowed)
        redactor.finder.matches = self.matches
        return redactor

    def unmatched_places(self) -> Iterator[str]:
        """Give the names and pointers that have led to nothing, as the user has spelled them."""
        for name in self._names:
            if name.lower() not in self.matches.names:
                yield f"--key {name}"
        for pointer in self._pointers:
            if tuple(steps(pointer)) not in self.matches.pointers:
                yield f"--path {pointer}"

    def unmatched_values(self) -> Iterator[str]:
        """Give the expressions that have matched nothing."""
        for value in self._values:
            if value not in self.matches.values:
                yield f"--value {value.pattern}"

    def _persons(self) -> Persons | None:
        """Return what finds home folders and user names, if one of them is to be redacted."""
        if not self._home and not self._user:
            return None
        return Persons.of_this_machine(homes=self._home, users=self._user)


def _not_empty(option: str, words: Iterable[str]) -> tuple[str, ...]:
    words = tuple(words)
    if "" in words:  # an expression for nothing masks nothing, and nobody would notice
        raise AcpSpyError(
            f"the value of `{option}` is empty",
            hint=f"check that the variable in your script is set, or remove `{option}`",
        )
    return words


def _compiled(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise AcpSpyError(
            f"`{value}` is not a regular expression: {error}",
            hint="escape characters such as `(`, `[`, `*` with `\\`; quote it in a shell",
        ) from None


def _checked(pointer: str) -> str:
    if not pointer.startswith("/"):
        raise AcpSpyError(
            f"`{pointer}` is not a JSON Pointer",
            hint="start with `/` at the top of the message: `/params/_meta/token`",
        )
    return pointer
