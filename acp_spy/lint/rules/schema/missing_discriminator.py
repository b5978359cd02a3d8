"""An object with several forms says which it is."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, subject
from acp_spy.protocol.mismatch import Mismatch


@rule(
    code="SCH004",
    name="missing-discriminator",
    severity=Severity.ERROR,
    summary="The key that names the variant is missing",
    on=("mismatch",),
    covers=("ELI-02", "CNT-02"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(update('{"sessionUpdate": "agent_message_chunk", "content": {"text": "Done."}}')),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def missing_discriminator(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A content block has a `type`, an update a `sessionUpdate`, an elicitation a `mode`, an MCP server
    over HTTP a `type`. Without it a reader cannot tell what the rest means, and refuses the object or
    takes it for something else: an HTTP server without `type` is read as one to be started.
    """
    for mistake in facts.mistakes_of("missing-discriminator"):
        mismatch = mistake.first
        yield Remark(
            f"{subject(mismatch)} has no `{mismatch.key}`; expected {mismatch.expected.partition(': ')[2]}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=_hint(mismatch),
        )


def _hint(mismatch: Mismatch) -> str:
    if mismatch.instead:
        return f'add `"{mismatch.key}": "{mismatch.instead}"`'
    if mismatch.shape == "ContentBlock":
        return 'send a text as `{"type": "text", "text": …}`'
    return f"add `{mismatch.key}`, with one of these values"
