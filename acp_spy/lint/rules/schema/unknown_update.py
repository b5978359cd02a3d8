"""The kinds of updates are a closed list."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn, update
from acp_spy.lint.rules.schema._words import EDITIONS, text_of, value_of
from acp_spy.protocol.capability_gates import gates, is_advertised
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.protocol.synonyms import VALUES
from acp_spy.wire.frame import Peer


@rule(
    code="SCH003",
    name="unknown-update",
    severity=Severity.ERROR,
    summary="A session update is of a kind that this version does not define",
    on=("mismatch",),
    covers=("INI-09", "X-07"),
    spec="https://agentclientprotocol.com/protocol/prompt-turn#3-agent-reports-output",
    bad=in_turn(
        update(
            '{"sessionUpdate": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}'
        )
    ),
    good=in_turn(
        update(
            '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}'
        )
    ),
)
def unknown_update(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports values of `sessionUpdate` that version 1 does not define; they are a closed list in
    snake_case. An unstable kind that the client advertised is a note.

    ## Why it matters
    A strict client refuses the whole notification, and some close the connection. A lenient client
    shows nothing.

    ## Use instead
    Send an official kind. Put custom data into `_meta`, or send it with a method whose name begins
    with `_`. Send kinds of version 2 and unstable kinds only to peers that negotiated them.
    """
    for mistake in facts.mistakes_of("unknown-update"):
        mismatch = mistake.first
        name = value_of(step, mismatch)
        edition = EDITIONS.get(mismatch.legal_in, "")
        only = f"; only {edition} defines it" if edition else ""
        yield Remark(
            f"`sessionUpdate` is {text_of(step, mismatch)}, which is not a kind of update in this version{only}",
            at=mismatch.path,
            severity=Severity.NOTE if _is_agreed(step, name) else None,
            hint=_hint(str(name), mismatch),
        )


def _is_agreed(step: Step, name: Any) -> bool:
    """Return whether the client advertised this unstable kind."""
    gate = gates(1).updates.get(name) if isinstance(name, str) else None
    return bool(gate and is_advertised(step.state.capabilities.get(Peer.CLIENT), gate))


def _hint(name: str, mismatch: Mismatch) -> str:
    # The nearest name helps with a typo, and misleads if another edition defines the kind.
    instead = VALUES["SessionUpdate"].get(name, "" if mismatch.legal_in else mismatch.instead)
    if instead:
        return f"send `{instead}`"
    if mismatch.legal_in.startswith("v2"):
        return "send it only when both peers have agreed on version 2"
    if mismatch.legal_in:
        return "send it only to a client that advertised it"
    return "send it as a method whose name begins with `_`, or in `_meta`"
