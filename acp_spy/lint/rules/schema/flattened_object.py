"""What belongs inside a nested object stays inside."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_session
from acp_spy.lint.rules.schema._words import again, loss, severity, subject


@rule(
    code="SCH020",
    name="flattened-object",
    severity=Severity.ERROR,
    summary="The keys of a nested object stand around it",
    on=("mismatch",),
    covers=("CNT-04",),
    spec="https://agentclientprotocol.com/protocol/content#embedded-resource",
    bad=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "resource", "uri": "file:///home/dev/project/a.txt", "text": "a"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
        """
    ),
    good=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "resource", "resource": {"uri": "file:///home/dev/project/a.txt", "text": "a"}}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
        """
    ),
)
def flattened_object(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Some objects nest another one: a `resource` block has its `uri` and `text` inside `resource`, a
    chunk has its text inside a content block, a permission request has its id inside `toolCall`.
    When the inner keys stand outside, a reader finds neither the inner object nor any use for them.
    """
    for mistake in facts.mistakes_of("flattened-object"):
        mismatch = mistake.first
        yield Remark(
            f"what belongs into `{mismatch.key}` stands directly in {subject(mismatch)}; "
            f"expected {mismatch.expected}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"put it into an object under `{mismatch.key}`",
        )
