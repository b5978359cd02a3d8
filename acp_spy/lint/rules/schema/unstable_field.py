"""Fields that are only in the unstable protocol."""

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
    summary="A field is defined only in the unstable protocol",
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
    ## What it does
    Reports fields that are in the unstable part of the protocol and not in the stable one. `--spec
    v1-unstable` checks by the unstable protocol: then the field is legal, and its type is checked.

    ## Why it matters
    Peers that do not know the field ignore it. It may change or be removed without notice.

    ## Use instead
    Use the field only between peers that support it, and do not rely on it.
    """
    for mistake in facts.mistakes_of("unstable-field"):
        keys = [mismatch.key for mismatch in (*mistake.mismatches, *mistake.others)]
        one = len(set(keys)) == 1
        yield Remark(
            f"{names(keys)} {'is' if one else 'are'} defined only in {EDITIONS[mistake.first.legal_in]}; "
            f"a stable peer ignores {'it' if one else 'them'}",
            at=mistake.first.path,
            hint="ignore this if both peers support it"
            + (
                "; `--spec v1-unstable` checks it"
                if mistake.first.legal_in == "v1-unstable"
                else ""
            ),
        )
