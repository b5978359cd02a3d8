"""A compaction starts, streams its summary, and ends once."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import END, PROMPT
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
    name="compaction-out-of-order",
    severity=Severity.WARNING,
    summary="The updates of a compaction are out of order",
    on=("update:compaction_update", "update:compaction_summary_chunk", "end"),
    covers=("CMP-02", "CMP-03"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=PROMPT + _BEGIN + _DONE + _CHUNK + END,
    good=PROMPT + _BEGIN + _CHUNK + _DONE + END,
)
def compaction_out_of_order(
    moment: Step | Ending, facts: Facts, known: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a compaction whose updates are not `in_progress`, then summary chunks, then exactly one
    `completed`, `failed` or `cancelled`. It also reports an id that is used again, and a compaction
    that never ends.

    ## Why it matters

    The client opens an entry when the compaction starts and closes it at the end. Chunks outside it
    are lost, and an entry without an end looks as if it runs forever.

    ## Use instead

    Keep this order. Use a new id for the next compaction.
    """
    if isinstance(moment, Ending):
        yield from _unfinished(moment, known)
        return
    update = fields(fields(moment.body).get("update"))
    name, status = update.get("compactionId"), update.get("status")
    key = str(fields(moment.body).get("sessionId")), name
    if not isinstance(name, str) or facts.is_replayed:
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
        why = f"came after `{before}`" if before else "came before `in_progress`"
        remember(known, key, ("described", moment.frame.seq))
        yield Remark(
            f"{what} for compaction `{name}` {why}; expected `in_progress`, chunks, then one end",
            at="/params/update/compactionId",
            see=seq,
            hint=(
                "send `in_progress`, then chunks, then one final status;"
                " use a new id for the next compaction"
            ),
        )


def _unfinished(ending: Ending, known: dict[Any, Any]) -> Iterator[Remark]:
    for (name, compaction), (status, seq) in known.items():
        session = ending.state.sessions.get(name)
        if status == "in_progress" and not ending.cut_off and not (session and session.turns):
            yield Remark(
                f"compaction `{compaction}` never ended; expected a final status",
                on=seq,
                at="/params/update/compactionId",
                blame=Peer.AGENT,
                hint="send `completed`, `failed` or `cancelled` when it ends",
            )
