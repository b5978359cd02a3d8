"""The params, results and errors of a dialect are as in its document."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.dialect._mismatches import remarks


@rule(
    code="DIA003",
    name="undocumented-shape",
    severity=Severity.ERROR,
    summary="Params, a result or an error do not match the dialect's document",
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
    ## What it does

    Reports params, results and errors that are not as in the dialect's document. Runs only with
    `--dialect NAME`, which checks against that document instead of official ACP.

    A key that the document shows is required, unless the document calls it optional or one of its
    examples does not have it. Listed values are the only ones. Where the document has `...`,
    anything is allowed. A key that the document does not have is a warning, because readers ignore
    it; the official name of a key that it does have is an error.

    ## Why it matters

    A program that was written from the document fails on other shapes, or ignores them.

    ## Use instead

    Send the keys and values that the document shows.
    """
    dialect = step.state.dialects.settled
    if dialect is not None:
        yield from remarks(dialect, facts.mismatches)
