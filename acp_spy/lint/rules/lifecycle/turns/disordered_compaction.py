"""A compaction begins, is told, and ends once."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
from acp_spy.lint.rules.lifecycle._reading import is_being_loaded
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

_ENDS = ("completed", "failed", "cancelled")
_BEGIN = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "compaction_update", "compactionId": "c1", "status": "in_progress"}}}
"""
_CHUNK = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c1", "content": {"type": "text", "text": "So far"}}}}
"""
_DONE = _BEGIN.replace("in_progress", "completed")


@rule(
    code="LIF140",
    name="disordered-compaction",
    severity=Severity.WARNING,
    summary="A compaction's updates are out of order",
    on=("update:compaction_update", "update:compaction_summary_chunk", "end"),
    covers=("CMP-02", "CMP-03"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=PROMPT + _BEGIN + _DONE + _CHUNK + END,
    good=PROMPT + _BEGIN + _CHUNK + _DONE + END,
)
def disordered_compaction(moment: Step | Ending, known: dict[Any, Any]) -> Iterator[Remark]:
    """
    A compaction begins with `in_progress`, may stream its summary in chunks, and ends with exactly one
    `completed`, `failed` or `cancelled`. Its id is never used again.

    A client opens an entry when the compaction begins and closes it at the end. Chunks before or
    after have no entry to go to and are lost; one that never ends shows as running for ever.

    Keep the order, and take a new id for the next compaction.
    """
    if isinstance(moment, Ending):
        yield from _unfinished(moment, known)
        return
    update = fields(fields(moment.body).get("update"))
    name, status = update.get("compactionId"), update.get("status")
    key = str(fields(moment.body).get("sessionId")), name
    if not isinstance(name, str) or is_being_loaded(moment):
        return
    before, seq = known.get(key, ("", None))
    is_chunk = update.get("sessionUpdate") == "compaction_summary_chunk"
    if not is_chunk and not before:
        remember(known, key, (str(status), moment.frame.seq))
    elif before == "described" or (before and before not in _ENDS):
        if not is_chunk and status in _ENDS and before != "described":
            remember(known, key, (status, moment.frame.seq))
    else:
        what = "summary chunk" if is_chunk else f"`{status}`"
        why = f"after it was `{before}`" if before else "before it was `in_progress`"
        remember(known, key, ("described", moment.frame.seq))
        yield Remark(
            f"{what} for compaction `{name}` {why}",
            at="/params/update/compactionId",
            see=seq,
            hint="send `in_progress`, then chunks, then one end; give the next one a new id",
        )


def _unfinished(ending: Ending, known: dict[Any, Any]) -> Iterator[Remark]:
    for (name, compaction), (status, seq) in known.items():
        session = ending.state.sessions.get(name)
        if status == "in_progress" and not ending.cut_off and not (session and session.turns):
            yield Remark(
                f"compaction `{compaction}` never ended",
                on=seq,
                at="/params/update/compactionId",
                blame=Peer.AGENT,
                hint="send `completed`, `failed` or `cancelled` when it is over",
            )
