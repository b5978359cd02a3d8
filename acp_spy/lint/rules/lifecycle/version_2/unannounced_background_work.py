"""Version 2: work in the background has a name that the client knows."""

from collections.abc import Iterator, Mapping

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._background import called, listed
from acp_spy.lint.rules.lifecycle.version_2._examples import TERMINAL, TURN, be, transcript

_IDLE = be(
    "idle",
    ', "stopReason": "end_turn", "background": [{"type": "terminal", "terminalId": "t1"}]',
)


@rule(
    code="LIF217",
    name="unannounced-background-work",
    severity=Severity.ERROR,
    summary="Background work was listed that no update has announced",
    on=("update:state_update",),
    version=2,
    covers=("V2-17",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#background-work",
    bad=transcript(TURN, _IDLE),
    good=transcript(TURN, TERMINAL, _IDLE),
)
def unannounced_background_work(step: Step) -> Iterator[Remark]:
    """
    The list `background` refers to tool calls, terminals and subagents that the client already
    knows. For an id that it has never seen it can show neither title nor command.

    Announce the item with its own update before the first list that has it. Listing one twice is
    as wrong: each piece of work stands there once.
    """
    if step.session is None:
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
                f"{called(item)} is listed twice; each piece of work is expected once",
                at=place,
                hint="list each piece of work once, a process as its terminal",
            )
        elif item[1] not in known[item[0]]:
            yield Remark(
                f"{called(item)} is listed as background work, but was never announced",
                at=place,
                hint="send its own update first",
            )
        seen.add(item)
