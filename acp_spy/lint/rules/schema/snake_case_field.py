"""Field names are in camelCase."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_session, in_turn
from acp_spy.lint.rules.schema._words import names, severity


@rule(
    code="SCH005",
    name="snake-case-field",
    severity=Severity.ERROR,
    summary="The name of a field is in the wrong case",
    on=("mismatch",),
    covers=("EXT-09",),
    spec="https://agentclientprotocol.com/protocol/overview",
    bad=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"session_id": "s-1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "Invalid params"}}
        """
    ),
    good=in_turn(""),
)
def snake_case_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports fields such as `session_id` that are official ones in another spelling. ACP uses
    camelCase: `sessionId`, `toolCallId`, `stopReason`.

    ## Why it matters
    JSON field names are case-sensitive, so nobody reads `session_id`. If the field is required, the
    message fails; if it is optional, its value is silently lost.

    ## Use instead
    Write fields in camelCase. Often a serializer setting is missing: `by_alias=True` in pydantic,
    `rename_all = "camelCase"` in serde.
    """
    for mistake in facts.mistakes_of("snake-case-field"):
        mismatches = (*mistake.mismatches, *mistake.others)
        keys = dict.fromkeys(mismatch.key for mismatch in mismatches)
        expected = dict.fromkeys(mismatch.instead for mismatch in mismatches)
        yield Remark(
            f"{names(keys)} where {names(expected)} {'is' if len(expected) == 1 else 'are'} expected",
            at=mistake.first.path,
            severity=severity(mistake),
            hint="write field names in camelCase, as the specification does",
        )
