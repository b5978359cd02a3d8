"""A peer speaks ACP, and none of its dialects."""

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
    summary="A peer speaks a dialect that calls itself ACP",
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
    Documents that describe something else under the name of ACP are about, and so are the first
    drafts of the protocol itself. A program that was written from one of them understands
    programs that were written from the same one, and nobody else.

    The dialect is told by what is found in the messages of one peer, each thing with a weight, and
    only when there is enough of it. What was enough is told here, wherever it is found again; what
    else is not official has a finding of its own. The remedy is to write the program anew from the
    official schema, or on top of an official SDK. Who means to speak the dialect can check for that:
    `--dialect NAME` judges by the dialect's own document.
    """
    revealed = revealed_dialect(step)
    if revealed is None or revealed.dialect is None:
        return
    sender, dialect = step.frame.sender, revealed.dialect
    first = min(clue.seq for clue in revealed.clues)
    yield Remark(
        f"the {sender.value} speaks {dialect.title} ({dialect.name}), not official ACP;"
        f" seen: {', '.join(revealed.lines)}",
        hint=f"it comes from {dialect.origin}; officially: {_translated(revealed.clues, dialect)}",
        see=first if first != step.frame.seq else None,
    )


def _translated(clues: Iterable[Clue], dialect: Dialect) -> str:
    """Return the official spelling of what the evidence is about."""
    words = dict.fromkeys(word for clue in clues for word in clue.evidence.betrays)
    spelt = [
        f"`{word}` is {quoted(dialect.words[word])}" for word in words if word in dialect.words
    ]
    if not dialect.has_jsonrpc:
        spelt.append('every message has `"jsonrpc": "2.0"`')
    return "; ".join(spelt)
