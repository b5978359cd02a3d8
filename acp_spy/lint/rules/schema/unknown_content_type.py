"""Content blocks have one of five types."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, text_of, value_of

_INSTEAD = {
    "thinking": "send text in an `agent_thought_chunk`",
    "tool_result": "report the tool with a `tool_call_update`",
    "tool_use": "report the tool with a `tool_call`",
}


@rule(
    code="SCH021",
    name="unknown-content-type",
    severity=Severity.ERROR,
    summary="A content block has a type that ACP does not define",
    on=("mismatch",),
    covers=("CNT-02", "TLC-09"),
    spec="https://agentclientprotocol.com/protocol/content",
    bad=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "thinking", "thinking": "Which test?"}}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Which test?"}}'
        )
    ),
)
def unknown_content_type(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports content blocks of other types than `text`, `image`, `audio`, `resource` and
    `resource_link`, and tool call content of other types than `content`, `diff` and `terminal`.

    ## Why it matters
    Blocks of a model's API, such as `thinking`, `tool_use` or `tool_result`, mean nothing in ACP. A
    strict reader refuses the message; a lenient one drops the block.

    ## Use instead
    Convert the blocks of the model: thoughts into `agent_thought_chunk`, tools into `tool_call`,
    readable content into `text`.
    """
    for mistake in facts.mistakes_of("unknown-content-type"):
        mismatch = mistake.first
        where = "content block" if mismatch.shape == "ContentBlock" else "tool call content"
        instead = f"send `{mismatch.instead}`" if mismatch.instead else ""
        instead = _INSTEAD.get(str(value_of(step, mismatch)), instead)
        yield Remark(
            f"{text_of(step, mismatch)} is not a type of {where}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=instead or "convert it into a `text` block",
        )
