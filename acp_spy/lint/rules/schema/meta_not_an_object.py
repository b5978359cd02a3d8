"""`_meta` is an object."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import again, loss, severity, sort_of


@rule(
    code="SCH029",
    name="meta-not-an-object",
    severity=Severity.ERROR,
    summary="`_meta` is not an object",
    on=("mismatch",),
    covers=("EXT-01",),
    spec="https://agentclientprotocol.com/protocol/extensibility#the-meta-field",
    bad=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}, "_meta": "draft"}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}, "_meta": {"example.com": "draft"}}'
        )
    ),
)
def meta_not_an_object(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `_meta` that is neither an object nor null.

    ## Why it matters
    Every object may have a `_meta` for custom data, and several programs share it. Lenient readers
    drop a `_meta` of another type; strict ones refuse the message.

    ## Use instead
    Send an object, with your data under a name of your own.
    """
    for mistake in facts.mistakes_of("meta-not-an-object"):
        mismatch = mistake.first
        yield Remark(
            f"`_meta` is {sort_of(mismatch)}; expected an object{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint="put the value into an object, under a name of your own",
        )
