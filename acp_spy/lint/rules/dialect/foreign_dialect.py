"""A peer uses official ACP, not an incompatible protocol of the same name."""

from collections.abc import Iterable, Iterator

from acp_spy.conversation.state import Step
from acp_spy.dialect.declaration import Dialect
from acp_spy.dialect.detect import Clue
from acp_spy.lint.dialect_words import revealed_dialect
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.dialect._words import quoted


@rule(
    code="DIA001",
    name="foreign-dialect",
    severity=Severity.ERROR,
    summary="A peer uses an incompatible protocol that is also called ACP",
    on=("clue",),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "hi"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi!"}]}}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "hi"}]}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi!"}}}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
    """,
)
def foreign_dialect(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a peer whose messages belong to a dialect: another protocol that calls itself ACP, or an
    early draft of ACP. Each piece of evidence has a weight, and a dialect is reported when there is
    enough of it. The finding lists that evidence; anything else that is not official has its own
    finding.

    ## Why it matters

    A program that was written from such a document works only with programs that were written from
    the same one.

    ## Use instead

    Write the program from the official schema, or use an official SDK. If you use the dialect on
    purpose, `--dialect NAME` checks against the dialect's own document.
    """
    revealed = revealed_dialect(step)
    if revealed is None or revealed.dialect is None:
        return
    sender, dialect = step.frame.sender, revealed.dialect
    first = min(clue.seq for clue in revealed.clues)
    yield Remark(
        f"the {sender.value} uses {dialect.title} ({dialect.name}), not official ACP;"
        f" seen: {', '.join(revealed.lines)}",
        hint=f"use the official spelling: {_translated(revealed.clues, dialect)}"
        f" (the dialect is from {dialect.origin})",
        see=first if first != step.frame.seq else None,
    )


def _translated(clues: Iterable[Clue], dialect: Dialect) -> str:
    """Return the official spelling of what the evidence is about."""
    words = dict.fromkeys(word for clue in clues for word in clue.evidence.betrays)
    spelled = [
        f"`{word}` is {quoted(dialect.words[word])}" for word in words if word in dialect.words
    ]
    if not dialect.has_jsonrpc:
        spelled.append('every message has `"jsonrpc": "2.0"`')
    return "; ".join(spelled)
