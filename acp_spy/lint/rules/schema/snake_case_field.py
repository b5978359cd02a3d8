"""Keys are written in camelCase."""

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
    summary="A key is written in another case than the specification's",
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
    ACP writes its keys in camelCase: `sessionId`, `toolCallId`, `stopReason`. JSON knows no other
    spelling of a key, so `session_id` is a key that nobody reads, and the one that is meant is
    missing. Required ones fail the message; optional ones vanish without a word.

    Most often a serializer's setting is forgotten: with pydantic, dump with `by_alias=True`; with
    serde, `rename_all = "camelCase"`.
    """
    for mistake in facts.mistakes_of("snake-case-field"):
        mismatches = (*mistake.mismatches, *mistake.others)
        keys = dict.fromkeys(mismatch.key for mismatch in mismatches)
        expected = dict.fromkeys(mismatch.instead for mismatch in mismatches)
        yield Remark(
            f"{names(keys)} where {names(expected)} {'is' if len(expected) == 1 else 'are'} expected",
            at=mistake.first.path,
            severity=severity(mistake),
            hint="write keys in camelCase, as the specification does",
        )
