"""What a dialect's messages carry is as its document shows it."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.dialect._mismatches import remarks


@rule(
    code="DIA003",
    name="undocumented-shape",
    severity=Severity.ERROR,
    summary="Params, a result or an error are not as the dialect's document has them",
    on=("mismatch",),
    dialect="crow",
    bad="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "hi"}]}}
        <- {"jsonrpc": "2.0", "id": 3, "result": {"stop_reason": "end_turn"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"session_id": "s-1", "prompt": [{"type": "text", "text": "hi"}]}}
        <- {"jsonrpc": "2.0", "id": 3, "result": {"stop_reason": "end_turn"}}
    """,
)
def undocumented_shape(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Asked with `--dialect NAME` only, which judges a conversation by that dialect's document instead
    of official ACP. What the document shows as a key is required, unless it is called optional or is
    missing in one of its examples; what it lists as values is all there is; and where it has `...`,
    anything may stand.

    A key that the document does not have is a warning: readers pass over it. Unless it is the
    official name of one that the document has: who wrote it meant to be read.
    """
    dialect = step.state.dialects.settled
    if dialect is not None:
        yield from remarks(dialect, facts.mismatches)
