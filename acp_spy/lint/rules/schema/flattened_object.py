"""Fields that belong in a nested object are inside it."""

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
    summary="Fields belong in a nested object",
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
    ## What it does
    Reports fields of a nested object that are outside of it: the `uri` and `text` of a `resource`
    block belong inside `resource`, the text of a chunk inside its content block, the id of a
    permission request inside `toolCall`.

    ## Why it matters
    The reader finds no nested object, and ignores the fields outside of it.

    ## Use instead
    Move the fields into the nested object.
    """
    for mistake in facts.mistakes_of("flattened-object"):
        mismatch = mistake.first
        yield Remark(
            f"the fields of `{mismatch.key}` are directly in {subject(mismatch)}; "
            f"expected {mismatch.expected}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"move them into an object under `{mismatch.key}`",
        )
