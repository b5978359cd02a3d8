"""A fix is declared beside its repair; it belongs to a rule by its code."""

from collections.abc import Callable, Sequence

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.wire.edit import Edit


class Split(msgspec.Struct, frozen=True):
    """
    The lines that take the place of one, with their line ends: each one message, or none.

    `log` is what was on the line and is not a message: it belongs on stderr.
    """

    lines: tuple[bytes, ...] = ()
    log: bytes = b""


# Takes a step and what is known of it; returns nothing if there is nothing that it can repair.
Repair = Callable[[Step, Facts], Sequence[Edit] | Split | None]


class Fix(msgspec.Struct, frozen=True):
    """
    What can be done about the findings of a rule.

    `does` is a sentence for people. A fix that is not `always` possible has a condition, which
    `does` names.
    """

    code: str
    does: str
    repair: Repair
    always: bool = True
