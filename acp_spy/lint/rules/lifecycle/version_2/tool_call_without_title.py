"""Version 2: the first update of a tool call has a title."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TOOL_CALL, TURN, transcript


@rule(
    code="LIF208",
    name="tool-call-without-title",
    severity=Severity.WARNING,
    summary="The first update of a tool call has no title",
    on=("update:tool_call_update",),
    version=2,
    covers=("V2-12",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#reporting",
    bad=transcript(TURN, TOOL_CALL.replace('"title": "Run the tests", ', "")),
    good=transcript(TURN, TOOL_CALL),
)
def tool_call_without_title(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `tool_call_update` with a new `toolCallId` and no `title`. Version 2 has no
    `tool_call`; the first update creates the tool call.

    ## Why it matters

    The user sees an entry without a title.

    ## Use instead

    Send a `title` with the first update. If you meant an earlier tool call, use its id.
    """
    update = update_of(step)
    name = update.get("toolCallId")
    if not isinstance(name, str) or update.get("title") is not None:
        return
    if step.session is None or name not in step.session.tool_calls:
        yield Remark(
            f"the first update of tool call `{name}` has no title; expected `title`",
            at="/params/update",
            hint="add `title` to the first update of the tool call",
        )
