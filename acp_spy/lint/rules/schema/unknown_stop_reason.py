"""A turn ends for one of five reasons."""

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
    summary="A stop reason that this version does not have",
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
    `stopReason` is `end_turn`, `max_tokens`, `max_turn_requests`, `refusal` or `cancelled`, and
    nothing else in version 1. A strict client cannot read the answer, and the turn never ends for
    the user. The stop reasons of a model's API have to be translated.

    A failure is not a stop reason: answer the prompt with a JSON-RPC error.
    """
    for mistake in facts.mistakes_of("unknown-stop-reason"):
        mismatch = mistake.first
        found = str(value_of(step, mismatch))
        instead = mismatch.instead or _INSTEAD.get(found, "")
        hint = f"send `{instead}`" if instead else ""
        if found in _FAILURES:
            hint = "answer the prompt with an error object when the turn failed"
        yield Remark(
            f"{text_of(step, mismatch)} is no stop reason; expected {mismatch.expected}",
            at=mismatch.path,
            hint=hint,
        )
