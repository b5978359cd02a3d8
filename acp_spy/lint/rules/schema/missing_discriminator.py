"""An object with several variants names its variant."""

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
    summary="The field that names the variant is missing",
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
    ## What it does
    Reports objects that do not name their variant: a content block without `type`, an update
    without `sessionUpdate`, an elicitation without `mode`, an MCP server over HTTP without `type`.

    ## Why it matters
    The reader cannot interpret the object. It refuses it or takes it for something else: an HTTP
    server without `type` is read as a command to start.

    ## Use instead
    Add the field that names the variant.
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
        return 'send text as `{"type": "text", "text": …}`'
    return f"add `{mismatch.key}` with one of these values"
