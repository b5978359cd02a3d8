"""Turns end as expected."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.budgets._examples import turn
from acp_spy.lint.rules.budgets._turns import MOMENTS, ended_turns
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields


@rule(
    code="BUD006",
    name="unexpected-stop-reason",
    severity=Severity.ERROR,
    summary="A turn ended with another stop reason than `--expect-stop`",
    on=MOMENTS[:3],
    since="0.2",
    budgets=Budgets(expect_stop=("end_turn",)),
    bad=turn(stop="max_tokens"),
    good=turn(stop="end_turn"),
)
def unexpected_stop_reason(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports turns that end with an error, or with a stop reason that `--expect-stop` does not name.
    It runs only if that is set.

    ## Why it matters
    A turn that ends with `max_tokens` or `refusal` has output, too, and a test may take it for a
    success.

    ## Use instead
    Read the end of the turn: `acp-spy view CAPTURE`.
    """
    expected = facts.budgets.expect_stop
    for _ in ended_turns(step):
        is_response = isinstance(step.message, Response)
        if isinstance(step.message, Response) and step.message.error:
            code, place = fields(step.body).get("code"), "/error"
            ended = f"an error, code `{code}`" if isinstance(code, int) else "an error"
        else:
            holder = fields(step.body) if is_response else fields(fields(step.body).get("update"))
            reason = holder.get("stopReason")
            if not isinstance(reason, str) or reason in expected:
                return  # without a reason it is a mistake of its own
            place = "/result/stopReason" if is_response else "/params/update/stopReason"
            ended = f"`{reason}`"
        names = " or ".join(f"`{each}`" for each in expected)
        yield Remark(
            f"the turn ended with {ended}; expected {names}",
            at=place,
            see=step.exchange.seq if step.exchange else None,
            hint="read the end of the turn, or add the reason to `--expect-stop`",
        )
        return
