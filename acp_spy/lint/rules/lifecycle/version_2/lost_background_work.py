"""Version 2: background work ends before it is removed from the list."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Session, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._background import Item, described, listed
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TERMINAL,
    TURN,
    state_line,
    transcript,
    update_line,
)

_IDLE = state_line(
    "idle",
    ', "stopReason": "end_turn", "background": [{"type": "terminal", "terminalId": "t1"}]',
)
_EXIT = update_line(
    '"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {"exitCode": 0}'
)
_NONE = state_line("idle", ', "background": []')


@rule(
    code="LIF218",
    name="lost-background-work",
    severity=Severity.ERROR,
    summary="Background work was removed from the list before it ended",
    on=("update:state_update",),
    version=2,
    covers=("V2-17",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#background-work",
    bad=transcript(TURN, TERMINAL, _IDLE, _NONE),
    good=transcript(TURN, TERMINAL, _IDLE, _EXIT, _NONE),
)
def lost_background_work(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports an item that is removed from `background` before its final status or
    `exitStatus`. It also reports a `state_update` without `background` after an earlier one had it.

    ## Why it matters

    The client shows the item as running forever. Without the list it does not know what still runs.

    ## Use instead

    Send the last update of the item first. Include `background`, even empty, in every later
    `state_update`.
    """
    if step.session is None or facts.is_replayed:
        return
    session, background = name_of_session(step), update_of(step).get("background")
    before = memory.get(session)
    if background is None and before is not None:
        yield Remark(
            "`state_update` has no `background`, but an earlier one had it; expected the list",
            at="/params/update",
            see=before[0],
            hint='add `"background"` to every `state_update`; use `[]` if nothing runs',
        )
    if not isinstance(background, list):
        return
    now = {item for _, item in listed(step)}
    seq, listed_before = before or (None, ())
    for item in listed_before:
        if item not in now and _is_going_on(step.session, item):
            yield Remark(
                f"{described(item)} was removed from `background` while it was running;"
                " expected its end first",
                at="/params/update/background",
                see=seq,
                hint="send its final status or `exitStatus` before you remove it",
            )
    remember(memory, session, (step.frame.seq, sorted(now)[:256]))


def _is_going_on(session: Session, item: Item) -> bool:
    key, name = item
    if key == "toolCallId":
        return name in session.tool_calls and session.tool_calls[name].is_open
    if key == "terminalId":
        return name in session.terminals and not session.terminals[name].exited
    return False
