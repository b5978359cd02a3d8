"""Keys that are not in the stable protocol yet."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_session, in_turn
from acp_spy.lint.rules.schema._words import EDITIONS, names


@rule(
    code="SCH008",
    name="unstable-field",
    severity=Severity.NOTE,
    summary="A key that only the unstable protocol has",
    on=("mismatch",),
    covers=("INI-20", "PRM-15", "UNS-18", "X-07"),
    spec="https://agentclientprotocol.com/protocol/draft/schema",
    bad=in_session(
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "Fix the test"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn", "usage": {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10}}}
        """
    ),
    good=in_turn(""),
)
def unstable_field(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    The key is in the unstable part of the protocol, not in the stable one. That does no harm: a peer
    that does not know it ignores it. But do not count on it: it may change its shape or vanish, and
    only peers that were built for it read it.

    `--spec v1-unstable` checks a conversation by the unstable protocol; then this is legal, and its
    shape is checked.
    """
    for mistake in facts.mistakes_of("unstable-field"):
        keys = [mismatch.key for mismatch in (*mistake.mismatches, *mistake.others)]
        one = len(set(keys)) == 1
        yield Remark(
            f"{names(keys)} {'is' if one else 'are'} known only to {EDITIONS[mistake.first.legal_in]}; "
            f"a stable peer ignores {'it' if one else 'them'}",
            at=mistake.first.path,
            hint="fine between peers that both know it"
            + (
                "; `--spec v1-unstable` checks it"
                if mistake.first.legal_in == "v1-unstable"
                else ""
            ),
        )
