"""Version 2: background work is announced before it is listed."""

from collections.abc import Iterator, Mapping

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._background import described, listed
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, state_line, transcript

_IDLE = state_line(
    "idle",
    ', "stopReason": "end_turn", "background": [{"type": "terminal", "terminalId": "t1"}]',
)


@rule(
    code="LIF217",
    name="unannounced-background-work",
    severity=Severity.ERROR,
    summary="Background work was listed that was not announced",
    on=("update:state_update",),
    version=2,
    covers=("V2-17",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#background-work",
    bad=transcript(TURN, _IDLE),
    good=transcript(TURN, TERMINAL, _IDLE),
)
def unannounced_background_work(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports an item in `background` that no update announced, and an item that is
    listed twice. Items are tool calls, terminals and subagents.

    ## Why it matters

    For an unknown id the client can show neither a title nor a command.

    ## Use instead

    Send the update of the item before the first list that contains it. List each item once.
    """
    if step.session is None or facts.is_replayed:
        return
    known: dict[str, Mapping[str, object]] = {
        "toolCallId": step.session.tool_calls,
        "terminalId": step.session.terminals,
        "sessionId": step.state.sessions,
    }
    seen = set()
    for index, item in listed(step):
        place = f"/params/update/background/{index}"
        if item in seen:
            yield Remark(
                f"{described(item)} is listed twice; expected each item once",
                at=place,
                hint="list each item once; list a process as its terminal",
            )
        elif item[1] not in known[item[0]]:
            yield Remark(
                f"{described(item)} is listed as background work; expected its update first",
                at=place,
                hint="send the update of the item before the list",
            )
        seen.add(item)
