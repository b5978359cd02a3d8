"""The field that names the variant of an object has the official name."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, quoted, severity


@rule(
    code="SCH001",
    name="wrong-discriminator",
    severity=Severity.ERROR,
    summary="The field that names the variant has the wrong name",
    on=("mismatch",),
    covers=("EXT-09",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#3-agent-reports-output",
    bad=in_turn(
        update('{"type": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}')
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def wrong_discriminator(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports objects that name their variant in the wrong field, such as `type`, `kind` or `@type`
    instead of `sessionUpdate` in an update. The field is `type` in a content block and `outcome` in
    a permission response.

    ## Why it matters
    Readers look at this field first. Without it they cannot read the object: they drop the update
    or fail, and the client shows nothing of the turn.

    ## Use instead
    Rename the field. Keep the value if it is an official one.
    """
    for mistake in facts.mistakes_of("wrong-discriminator"):
        mismatch = mistake.first
        yield Remark(
            f"{quoted(mismatch.key)} where `{mismatch.instead}` is expected{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send {mismatch.expected}",
        )
