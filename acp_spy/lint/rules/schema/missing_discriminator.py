"""An object with several forms says which it is."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._mistakes import mine
from acp_spy.lint.rules.schema._words import again, loss, severity, subject
from acp_spy.protocol.breach import Breach


@rule(
    code="SCH004",
    name="missing-discriminator",
    severity=Severity.ERROR,
    summary="The key that names the variant is missing",
    on=("breach",),
    covers=("ELI-02", "CNT-02"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(update('{"sessionUpdate": "agent_message_chunk", "content": {"text": "Done."}}')),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def missing_discriminator(step: Step) -> Iterator[Remark]:
    """
    A content block has a `type`, an update a `sessionUpdate`, an elicitation a `mode`, an MCP server
    over HTTP a `type`. Without it a reader cannot tell what the rest means, and refuses the object or
    takes it for something else: an HTTP server without `type` is read as one to be started.
    """
    for mistake in mine(step, "missing-discriminator"):
        breach = mistake.first
        yield Remark(
            f"{subject(breach)} has no `{breach.key}`; expected {breach.expected.partition(': ')[2]}"
            f"{loss(breach)}{again(mistake)}",
            at=breach.path,
            severity=severity(mistake),
            hint=_hint(breach),
        )


def _hint(breach: Breach) -> str:
    if breach.instead:
        return f'add `"{breach.key}": "{breach.instead}"`'
    if breach.shape == "ContentBlock":
        return 'send a text as `{"type": "text", "text": …}`'
    return f"add `{breach.key}`, with one of these values"
