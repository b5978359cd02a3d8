"""What a user wants redacted in addition to the known kinds of secrets, checked for all callers."""

import re
from collections.abc import Iterable

from acp_spy.errors import AcpSpyError
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor


class Patterns:
    """
    The options of `redact`: names, regular expressions, JSON Pointers, and what is no secret.

    Raises `AcpSpyError` for what is not a regular expression, or not a JSON Pointer.
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
        self._names = tuple(names)
        self._values = tuple(map(_compiled, values))
        self._pointers = tuple(map(_checked, pointers))
        self._allowed = tuple(map(_compiled, allowed))
        self._home = home
        self._user = user

    def redactor(self) -> Redactor:
        """Return what redacts all of this in a capture."""
        return Redactor(self._names, self._values, self._pointers, self._persons(), self._allowed)

    def _persons(self) -> Persons | None:
        """Return what finds home folders and user names, if one of them is to be redacted."""
        if not self._home and not self._user:
            return None
        return Persons.of_this_machine(homes=self._home, users=self._user)


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
