"""A peer speaks ACP, and none of its dialects."""

from collections.abc import Iterator, Mapping
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.model import Remark, Severity, rule


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
def foreign_dialect(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Documents that describe something else under the name of ACP are about, and so are the first
    drafts of the protocol itself. A program that was written from one of them understands
    programs that were written from the same one, and nobody else.

    The dialect is told by what is found in the messages of one peer, each thing with a weight, and
    only when there is enough of it. Told once for each peer: other rules name the places. The
    remedy is to write the program anew from the official schema, or on top of an official SDK.
    """
    sender = step.frame.sender
    tongue = step.state.tongues.tongue_with(sender, step.clues)
    if tongue.dialect is None or (sender, tongue.name) in memory:
        return
    memory[sender, tongue.name] = True
    dialect = tongue.dialect
    first = min(clue.seq for clue in tongue.clues)
    yield Remark(
        f"the {sender.value} speaks {dialect.title} ({dialect.name}), not official ACP;"
        f" seen: {', '.join(tongue.lines)}",
        hint=f"it comes from {dialect.origin}; officially, {_translated(dialect.words)}",
        see=first if first != step.frame.seq else None,
    )


def _translated(words: Mapping[str, str]) -> str:
    return ", ".join(f"`{word}` is {_quoted(official)}" for word, official in words.items())


def _quoted(words: str) -> str:
    return words if " " in words else f"`{words}`"
