"""The fields of an update are inside `update`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import quoted
from acp_spy.protocol.mismatch import MismatchKind


@rule(
    code="SCH002",
    name="missing-update-wrapper",
    severity=Severity.ERROR,
    summary="An update is not wrapped in `update`",
    on=("mismatch",),
    covers=("EXT-09",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#3-agent-reports-output",
    bad=in_turn(
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}
        """
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def missing_update_wrapper(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports `session/update` notifications whose fields are beside `sessionId` instead of inside
    `update`, as in the protocol of early August 2025.

    ## Why it matters
    The client finds no update and shows nothing.

    ## Use instead
    Move everything except `sessionId` and `_meta` into an object under `update`.
    """
    for mistake in facts.mistakes_of("missing-update-wrapper"):
        tags = [b for b in mistake.mismatches if b.kind is MismatchKind.WRONG_TAG_KEY]
        tag = f", and {quoted(tags[0].key)} renamed to `sessionUpdate`" if tags else ""
        yield Remark(
            f"the fields of the update are directly in `params`; expected inside `update`{tag}",
            at=mistake.first.path,
            hint='send `{"sessionId": …, "update": {"sessionUpdate": …, …}}`',
        )
