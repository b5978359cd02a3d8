"""A chunk has one content block; prompts and tool calls have a list."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, sort_of, subject

_BLOCK = '{"type": "text", "text": …}'
_ITEM = '{"type": "content", "content": {"type": "text", "text": …}}'


@rule(
    code="SCH018",
    name="malformed-content",
    severity=Severity.ERROR,
    summary="Content is a list where one block is expected, or vice versa",
    on=("mismatch",),
    covers=("CNT-09",),
    spec="https://agentclientprotocol.com/protocol/content",
    bad=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": [{"type": "text", "text": "Done."}]}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def malformed_content(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports content of the wrong shape. The `content` of a message chunk is one content block;
    `prompt` and the `content` of a tool call are lists. A bare string is neither.

    ## Why it matters
    The client fails on the notification, or shows an empty message.

    ## Use instead
    Send one block in a chunk, and a list of blocks in a prompt or tool call.
    """
    for mistake in facts.mistakes_of("malformed-content"):
        mismatch = mistake.first
        block = _ITEM if mismatch.shape.startswith("ToolCall") else _BLOCK
        one = mismatch.expected != "a list"
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected "
            f"{'one content block, an object' if one else 'a list of content blocks'}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send `{block}`" if one else f"send `[{block}]`",
        )
