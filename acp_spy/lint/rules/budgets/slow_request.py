"""Requests are answered in the expected time."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Exchange, Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn


@rule(
    code="BUD001",
    name="slow-request",
    severity=Severity.ERROR,
    summary="A request took longer than `--max-duration`",
    on=("response", "end"),
    since="0.2",
    budgets=Budgets(max_duration={"session/prompt": 2}),
    bad=turn(end_at=6),
    good=turn(end_at=2.5),
)
def slow_request(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports requests that are answered later than `--max-duration METHOD=TIME` allows, and those
    that are still pending after that time when the capture ends. It runs only if that is set.

    ## Why it matters
    A test that checks only results does not notice that the agent has become slow.

    ## Use instead
    Find out what takes the time: `acp-spy stats` shows it for each method.
    """
    if isinstance(moment, Ending):
        asked, now = list(moment.state.pending.values()), moment.t
    else:
        asked, now = [moment.exchange] if moment.exchange else [], moment.frame.t
    for exchange in asked:
        limit = facts.budgets.max_duration.get(exchange.method)
        if limit is not None and now - exchange.t > limit:
            yield _remark(exchange, now, limit, is_pending=isinstance(moment, Ending))


def _remark(exchange: Exchange, now: float, limit: float, *, is_pending: bool) -> Remark:
    took = "was pending for" if is_pending else "took"
    return Remark(
        f"`{exchange.method}` {took} {now - exchange.t:.3g} s; expected at most {limit:g} s",
        on=exchange.seq,
        blame=exchange.sender.other,
        hint="make it faster, or raise `--max-duration`",
    )
