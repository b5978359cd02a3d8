"""The user soon sees that something happens."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.budgets._turns import MOMENTS, ended_turns, time_of
from acp_spy.wire.frame import Peer


@rule(
    code="BUD003",
    name="slow-first-update",
    severity=Severity.ERROR,
    summary="The first update of a turn came later than `--max-first-update`",
    on=MOMENTS,
    since="0.2",
    budgets=Budgets(max_first_update=2),
    bad=turn(update_at=4, end_at=5),
    good=turn(update_at=1.5, end_at=5),
)
def slow_first_update(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns whose first `session/update` comes later after the prompt than
    `--max-first-update` allows, or that have none in that time. It runs only if that is set.

    ## Why it matters
    Until the first update the user sees nothing, and believes that the agent hangs.

    ## Use instead
    Send a thought, a plan or a tool call as soon as work begins.
    """
    limit = facts.budgets.max_first_update or 0.0
    for each in ended_turns(moment):
        first = each.first_update_at
        waited = (time_of(moment) if first is None else first) - each.exchange.t
        if waited > limit:
            came = "no update came in" if first is None else "the first update came after"
            yield Remark(
                f"{came} {waited:.3g} s; expected one in at most {limit:g} s",
                on=each.exchange.seq,
                blame=Peer.AGENT,
                hint="send an update as soon as work begins, or raise `--max-first-update`",
            )
