"""Version 2: the client cancels only what offers it."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.races import GRACE
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    TOOL_CALL,
    TURN,
    request_line,
    transcript,
)
from acp_spy.wire.values import fields

_CANCEL = request_line(3, "tool_call/cancel", '"sessionId": "s1", "toolCallId": "c1"')


@rule(
    code="LIF212",
    name="cancel-not-offered",
    severity=Severity.ERROR,
    summary="The client cancelled a tool call or terminal that does not offer it",
    on=("request:tool_call/cancel", "request:terminal/cancel"),
    version=2,
    covers=("V2-14",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-tool-calls",
    bad=transcript(TURN, TOOL_CALL, "@ 1", _CANCEL),
    good=transcript(
        TURN,
        TOOL_CALL.replace('"status"', '"capabilities": {"cancel": {}}, "status"'),
        "@ 1",
        _CANCEL,
    ),
)
def cancel_not_offered(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports `tool_call/cancel` and `terminal/cancel` for an item whose last update
    does not have `capabilities.cancel`. An offer that was withdrawn while the request was in
    transit is not reported.

    ## Why it matters

    The agent returns -32602, and the cancel button does nothing.

    ## Use instead

    Show the button only while the item offers `capabilities.cancel`. Use `session/cancel` to stop
    all work.
    """
    is_terminal = step.method == "terminal/cancel"
    key, kind = ("terminalId", "terminal") if is_terminal else ("toolCallId", "tool call")
    name = fields(step.body).get(key)
    if step.session is None or not isinstance(name, str):
        return
    session = step.session
    item = session.terminals.get(name) if is_terminal else session.tool_calls.get(name)
    if item is None:
        yield Remark(
            f"`{step.method}` for {kind} `{name}`, which was not announced;"
            " expected an announced id",
            at=f"/params/{key}",
            hint=f"use the `{key}` of an update",
        )
        return
    just_now = item.withdrawn_at is not None and step.frame.t - item.withdrawn_at <= GRACE
    if not item.cancellable and not just_now:
        yield Remark(
            f"`{step.method}` for {kind} `{name}`, which does not offer it;"
            " expected `capabilities.cancel`",
            at="/method",
            see=item.seq,
            hint="cancel it only while it offers `capabilities.cancel`, or use `session/cancel`",
        )
