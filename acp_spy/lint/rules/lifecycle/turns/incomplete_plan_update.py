"""Every `plan` update has all entries."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import names
from acp_spy.wire.values import fields

_FIRST = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "plan", "entries": [{"content": "Read", "priority": "high", "status": "in_progress"}, {"content": "Write", "priority": "high", "status": "pending"}]}}}
"""
_WHOLE = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "plan", "entries": [{"content": "Read", "priority": "high", "status": "completed"}, {"content": "Write", "priority": "high", "status": "in_progress"}]}}}
"""
_READ = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "plan", "entries": [{"content": "Read", "priority": "high", "status": "completed"}]}}}
"""
_MOST = 256  # entries that are looked at


@rule(
    code="LIF128",
    name="incomplete-plan-update",
    severity=Severity.WARNING,
    summary="A plan update lacked entries that came back later",
    on=("update:plan",),
    covers=("PLN-02",),
    spec="https://agentclientprotocol.com/protocol/agent-plan#updating-plans",
    bad=PROMPT + _FIRST + _READ + _WHOLE + END,
    good=PROMPT + _FIRST + _WHOLE + _WHOLE + END,
)
def incomplete_plan_update(step: Step, plans: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a plan entry that disappears and comes back within one turn. Every `plan` update must
    list all entries, because the client replaces its plan. An entry that is removed for good is not
    reported.

    ## Why it matters

    An agent that sends only the changed entries makes the others disappear from the screen.

    ## Use instead

    Send all entries in each update, with their current status.
    """
    session = fields(step.body).get("sessionId")
    current = names(fields(fields(step.body).get("update")).get("entries"), "content")[:_MOST]
    turn = step.session.turn_count if step.session else 0
    if not isinstance(session, str):
        return
    was, last, gone = plans.get(session, (turn, [], set()))
    if was == -1:
        return
    if was != turn:
        last, gone = [], set()
    back = next((entry for entry in current if entry in gone), None)
    if back is not None:
        remember(plans, session, (-1, [], set()))  # once is enough
        yield Remark(
            f"entry `{back[:60]}` is back after an update without it;"
            " expected all entries in every update",
            at="/params/update/entries",
            hint="send all entries in every `plan` update",
        )
        return
    left = set(last) - set(current)
    remember(plans, session, (turn, current, (gone | left) if len(gone) < _MOST else gone))
