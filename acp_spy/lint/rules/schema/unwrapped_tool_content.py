"""Content blocks of a tool call are wrapped in an item of type `content`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity
from acp_spy.protocol.mismatch import Mismatch


@rule(
    code="SCH019",
    name="unwrapped-tool-content",
    severity=Severity.WARNING,
    summary="A content block is directly in the content of a tool call",
    on=("mismatch",),
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
def unwrapped_tool_content(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports text, images and other content blocks that are directly in the `content` of a tool call.
    The items of that list are of type `content`, `diff` or `terminal`. One example in the official
    documentation makes this mistake.

    ## Why it matters
    Readers do not know the type there. Lenient ones drop the item, and the tool call has no output.

    ## Use instead
    Wrap each block in an item of type `content`.
    """
    for mistake in facts.mistakes_of("unwrapped-tool-content"):
        mismatch = mistake.first
        yield Remark(
            f"a content block is directly in {_holder(mismatch)}; expected inside an item of type"
            f" `content`{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"wrap it: `{mismatch.expected}`",
        )


def _holder(mismatch: Mismatch) -> str:
    return "`content`" if "/content/" in mismatch.path else "the update"
