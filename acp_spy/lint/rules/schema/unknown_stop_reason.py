"""A turn ends with one of five stop reasons."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_session, in_turn
from acp_spy.lint.rules.schema._words import text_of, value_of

_FAILURES = ("error", "failed", "failure", "exception", "timeout")
_INSTEAD = {
    "content_filter": "refusal",
    "length": "max_tokens",
    "max_turns": "max_turn_requests",
    "stop_sequence": "end_turn",
    "tool_calls": "end_turn",
    "tool_use": "end_turn",
    "unknown": "end_turn",
}


@rule(
    code="SCH023",
    name="unknown-stop-reason",
    severity=Severity.ERROR,
    summary="A stop reason is not defined in this version",
    on=("mismatch",),
    covers=("PRM-04",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#stop-reasons",
    bad=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "error"}}
        """
    ),
    good=in_turn(""),
)
def unknown_stop_reason(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports values of `stopReason` other than `end_turn`, `max_tokens`, `max_turn_requests`,
    `refusal` and `cancelled`.

    ## Why it matters
    A strict client cannot read the response, and for the user the turn never ends.

    ## Use instead
    Convert the stop reason of the model's API. If the turn failed, answer the prompt with a
    JSON-RPC error.
    """
    for mistake in facts.mistakes_of("unknown-stop-reason"):
        mismatch = mistake.first
        found = str(value_of(step, mismatch))
        instead = mismatch.instead or _INSTEAD.get(found, "")
        hint = f"send `{instead}`" if instead else ""
        if found in _FAILURES:
            hint = "answer the prompt with a JSON-RPC error if the turn failed"
        yield Remark(
            f"{text_of(step, mismatch)} is not a stop reason; expected {mismatch.expected}",
            at=mismatch.path,
            hint=hint,
        )
