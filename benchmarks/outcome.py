"""What a benchmark comes to: tables, limits, and words; and how much effort it may take."""

from typing import Any

import msgspec


class Effort(msgspec.Struct, frozen=True):
    """How often each contender is run, and whether this is only a try with small sizes."""

    rounds: int
    quick: bool = False

    def size(self, full: int, small: int) -> int:
        return small if self.quick else full


class Limit(msgspec.Struct, frozen=True):
    """A figure that shall not be exceeded. An aim is told like the others, and fails nothing."""

    what: str
    measured: float
    at_most: float
    aim: bool = False

    @property
    def is_met(self) -> bool:
        return self.measured <= self.at_most


class Table(msgspec.Struct, frozen=True):
    """The first column names a row; all others are figures."""

    columns: list[str]
    rows: list[list[str]]


class Outcome(msgspec.Struct, frozen=True):
    """
    The figures of one benchmark.

    `tables` and `note` are for people. `figures` are the raw ones, for whoever wants others.
    """

    limits: list[Limit]
    tables: list[Table] = []
    note: str = ""
    figures: dict[str, Any] = {}


class Result(msgspec.Struct, frozen=True):
    """An outcome, with when, where and on what it was measured."""

    date: str
    commit: str
    machine: str
    rounds: int
    seconds: float
    outcome: Outcome
