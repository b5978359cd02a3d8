"""The key that says which variant an object is, under another name."""

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
    summary="The key that names the variant has another name",
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
    Where an object has several forms, one key says which it is: `sessionUpdate` in an update, `type`
    in a content block, `outcome` in a permission answer. Readers look there first. With `type`,
    `kind` or `@type` instead of `sessionUpdate` they do not know what to make of the update, and
    drop it or fail: nothing of the turn appears.

    Rename the key. The value stays if it is official.
    """
    for mistake in facts.mistakes_of("wrong-discriminator"):
        mismatch = mistake.first
        yield Remark(
            f"{quoted(mismatch.key)} where `{mismatch.instead}` is expected{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"rename it: send {mismatch.expected}",
        )
