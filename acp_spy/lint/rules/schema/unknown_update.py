"""The kinds of update are a closed list."""

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
    summary="A kind of session update that this version does not have",
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
    In version 1 the values of `sessionUpdate` are a closed list, written in snake_case. A strict
    client refuses the whole notification for one that it does not know, and some end the connection;
    a lenient one shows nothing. An own kind of update is an extension: it goes into `_meta`, or into
    a method whose name begins with `_`.

    Kinds of version 2, and of the unstable part of version 1, are for peers that agreed on them. An
    unstable kind that the client advertised is only a note.
    """
    for mistake in facts.mistakes_of("unknown-update"):
        mismatch = mistake.first
        name = value_of(step, mismatch)
        edition = EDITIONS.get(mismatch.legal_in, "")
        only = f"; only {edition} has it" if edition else ""
        yield Remark(
            f"`sessionUpdate` is {text_of(step, mismatch)}, which is no kind of update here{only}",
            at=mismatch.path,
            severity=Severity.NOTE if _is_agreed(step, name) else None,
            hint=_hint(str(name), mismatch),
        )


def _is_agreed(step: Step, name: Any) -> bool:
    """Tell whether the client said that it knows this unstable kind."""
    gate = gates(1).updates.get(name) if isinstance(name, str) else None
    return bool(gate and is_advertised(step.state.capabilities.get(Peer.CLIENT), gate))


def _hint(name: str, mismatch: Mismatch) -> str:
    # The nearest name helps with a slip, and misleads where the kind is right in another edition.
    instead = VALUES["SessionUpdate"].get(name, "" if mismatch.legal_in else mismatch.instead)
    if instead:
        return f"send `{instead}`"
    if mismatch.legal_in.startswith("v2"):
        return "send it only when both peers have agreed on version 2"
    if mismatch.legal_in:
        return "send it only to a client that advertised it"
    return "send it as a method whose name begins with `_`, or in `_meta`"
