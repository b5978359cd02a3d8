"""Version 2: the first word of a tool call is its title."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import TOOL_CALL, TURN, transcript


@rule(
    code="LIF208",
    name="untitled-tool-call",
    severity=Severity.WARNING,
    summary="The first update of a tool call has no title",
    on=("update:tool_call_update",),
    version=2,
    covers=("V2-12",),
    spec="https://agentclientprotocol.com/protocol/v2/tool-calls#reporting",
    bad=transcript(TURN, TOOL_CALL.replace('"title": "Run the tests", ', "")),
    good=transcript(TURN, TOOL_CALL),
)
def untitled_tool_call(step: Step) -> Iterator[Remark]:
    """
    Version 2 has no `tool_call`. The first `tool_call_update` with a new id makes the tool call,
    and should give it a title. Without one the user sees an entry that says nothing.

    Send a `title` with the first update. Or is the id a slip for that of an earlier call?
    """
    update = update_of(step)
    name = update.get("toolCallId")
    if not isinstance(name, str) or update.get("title") is not None:
        return
    if step.session is None or name not in step.session.tool_calls:
        yield Remark(
            f"tool call `{name}` begins here, but without the expected `title`",
            at="/params/update",
            hint="give the tool call a `title` in its first update",
        )
