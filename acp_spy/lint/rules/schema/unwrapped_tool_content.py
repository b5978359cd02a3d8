"""What a tool produced is wrapped once more."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._mistakes import mine
from acp_spy.lint.rules.schema._words import again, loss, severity
from acp_spy.protocol.breach import Breach


@rule(
    code="SCH019",
    name="unwrapped-tool-content",
    severity=Severity.WARNING,
    summary="A content block stands directly in the content of a tool call",
    on=("breach",),
    covers=("TLC-09",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#content",
    bad=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Reading the test", "status": "completed", "content": [{"type": "text", "text": "1 passed"}]}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Reading the test", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "1 passed"}}]}'
        )
    ),
)
def unwrapped_tool_content(step: Step) -> Iterator[Remark]:
    """
    The items of a tool call's `content` are `content`, `diff` or `terminal`. A text or an image goes
    inside one of type `content`. Directly in the list it is of a type that nobody knows there:
    lenient readers leave it out, and the tool call appears without its output.

    An official page has an example that makes this mistake.
    """
    for mistake in mine(step, "unwrapped-tool-content"):
        breach = mistake.first
        yield Remark(
            f"a content block stands directly in {_holder(breach)}; expected it in an item of type"
            f" `content`{loss(breach)}{again(mistake)}",
            at=breach.path,
            severity=severity(mistake),
            hint=f"wrap it: `{breach.expected}`",
        )


def _holder(breach: Breach) -> str:
    return "`content`" if "/content/" in breach.path else "the update"
