"""Turns end in the expected time."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.budgets._turns import MOMENTS, ended_turns, time_of
from acp_spy.wire.frame import Peer


@rule(
    code="BUD002",
    name="slow-turn",
    severity=Severity.ERROR,
    summary="A turn took longer than `--max-turn`",
    on=MOMENTS,
    since="0.2",
    budgets=Budgets(max_turn=2),
    bad=turn(end_at=6),
    good=turn(end_at=2.5),
)
def slow_turn(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that take longer than `--max-turn` allows, from the prompt to its response, or in
    version 2 to the state `idle`. A turn that is open when the capture ends counts until then. It
    runs only if that is set.

    ## Why it matters
    A test that checks only results does not notice that the agent has become slow.

    ## Use instead
    Find out what takes the time: `acp-spy stats` shows the slowest turns.
    """
    limit = facts.budgets.max_turn or 0.0
    for each in ended_turns(moment):
        took = time_of(moment) - each.exchange.t
        if took > limit:
            yield Remark(
                f"the turn took {took:.3g} s; expected at most {limit:g} s",
                on=each.exchange.seq,
                blame=Peer.AGENT,
                hint="make it faster, or raise `--max-turn`",
            )
