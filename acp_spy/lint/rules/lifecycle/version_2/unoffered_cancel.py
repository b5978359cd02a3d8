"""Version 2: only what can be cancelled is."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.races import GRACE
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import TOOL_CALL, TURN, ask, transcript
from acp_spy.wire.values import fields

_CANCEL = ask(3, "tool_call/cancel", '"sessionId": "s1", "toolCallId": "c1"')


@rule(
    code="LIF212",
    name="unoffered-cancel",
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
def unoffered_cancel(step: Step) -> Iterator[Remark]:
    """
    A tool call or terminal can be cancelled on its own only while its last update offers
    `capabilities.cancel`. The agent refuses anything else with -32602, and the user's button does
    nothing.

    Show the button only where the offer stands, and use `session/cancel` to stop everything. An
    offer that was withdrawn while the request was on its way is no fault, and not told.
    """
    is_terminal = step.method == "terminal/cancel"
    key, sort = ("terminalId", "terminal") if is_terminal else ("toolCallId", "tool call")
    name = fields(step.body).get(key)
    if step.session is None or not isinstance(name, str):
        return
    session = step.session
    item = session.terminals.get(name) if is_terminal else session.tool_calls.get(name)
    if item is None:
        yield Remark(
            f"{sort} `{name}` was to be cancelled, but no update has told of it",
            at=f"/params/{key}",
            hint=f"use the `{key}` of an update",
        )
        return
    just_now = item.withdrawn_at is not None and step.frame.t - item.withdrawn_at <= GRACE
    if not item.cancellable and not just_now:
        yield Remark(
            f"{sort} `{name}` was to be cancelled, but does not offer `capabilities.cancel`",
            at="/method",
            see=item.seq,
            hint="cancel it only while it offers to be, or use `session/cancel`",
        )
