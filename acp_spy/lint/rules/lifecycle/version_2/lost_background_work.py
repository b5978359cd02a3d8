"""Version 2: work in the background ends before it leaves the list."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Session, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._background import Item, called, listed
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TERMINAL,
    TURN,
    be,
    transcript,
    update_line,
)

_IDLE = be(
    "idle",
    ', "stopReason": "end_turn", "background": [{"type": "terminal", "terminalId": "t1"}]',
)
_EXIT = update_line(
    '"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {"exitCode": 0}'
)
_NONE = be("idle", ', "background": []')


@rule(
    code="LIF218",
    name="lost-background-work",
    severity=Severity.ERROR,
    summary="Background work left the list without an end",
    on=("update:state_update",),
    version=2,
    covers=("V2-17",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#background-work",
    bad=transcript(TURN, TERMINAL, _IDLE, _NONE),
    good=transcript(TURN, TERMINAL, _IDLE, _EXIT, _NONE),
)
def lost_background_work(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Before an item leaves the list `background` its end is told: the final status of a tool call,
    the `exitStatus` of a terminal. If it just vanishes, the client shows it as running for ever.
    Once an agent reports background work, each `state_update` of the session carries the list: one
    without it leaves the client guessing.

    Send the item's last update first, and the list, even an empty one, with every state.
    """
    if step.session is None:
        return
    session, background = name_of_session(step), update_of(step).get("background")
    before = memory.get(session)
    if background is None and before is not None:
        yield Remark(
            "this state comes without `background`, though an earlier one of the session had it",
            at="/params/update",
            see=before[0],
            hint='add `"background"` to every `state_update`, `[]` if there is none',
        )
    if not isinstance(background, list):
        return
    now = {item for _, item in listed(step)}
    seq, listed_before = before or (None, ())
    for item in listed_before:
        if item not in now and _is_going_on(step.session, item):
            yield Remark(
                f"{called(item)} left the list of background work, but its end was not told",
                at="/params/update/background",
                see=seq,
                hint="send its final status or `exitStatus` before the list without it",
            )
    remember(memory, session, (step.frame.seq, sorted(now)[:256]))


def _is_going_on(session: Session, item: Item) -> bool:
    key, name = item
    if key == "toolCallId":
        return name in session.tool_calls and session.tool_calls[name].is_open
    if key == "terminalId":
        return name in session.terminals and not session.terminals[name].exited
    return False
