"""There are five types of content block."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, text_of, value_of

_INSTEAD = {
    "thinking": "send a text in an `agent_thought_chunk`",
    "tool_result": "report the tool with a `tool_call_update`",
    "tool_use": "report the tool with a `tool_call`",
}


@rule(
    code="SCH021",
    name="unknown-content-type",
    severity=Severity.ERROR,
    summary="A content block of a type that ACP does not have",
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
    Content blocks are `text`, `image`, `audio`, `resource` and `resource_link`; the content of a
    tool call is `content`, `diff` or `terminal`. Blocks of a model's own API, such as `thinking`,
    `tool_use` or `tool_result`, mean nothing here: a strict reader refuses the message, a lenient
    one leaves the block out.

    Translate what the model sent: thoughts go into `agent_thought_chunk`, tools into `tool_call`,
    everything that can be read into `text`.
    """
    for mistake in facts.mistakes_of("unknown-content-type"):
        mismatch = mistake.first
        where = "content block" if mismatch.shape == "ContentBlock" else "tool call's content"
        instead = f"send `{mismatch.instead}`" if mismatch.instead else ""
        instead = _INSTEAD.get(str(value_of(step, mismatch)), instead)
        yield Remark(
            f"{text_of(step, mismatch)} is no type of {where}; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=instead or "turn it into a `text` block",
        )
