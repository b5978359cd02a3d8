"""Lines that some readers cannot take."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.chunk import LONG_LINE
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

MIB = 1024 * 1024

# From the largest: what is said of a line above 1 MiB need not be said again for 64 KiB.
_LIMITS = (
    (32 * MIB, Severity.ERROR, "32 MiB, where the TypeScript SDK refuses a line"),
    (MIB, Severity.WARNING, "1 MiB, where some readers (ACPex) give up"),
    (LONG_LINE, Severity.NOTE, "64 KiB, where a reader with asyncio's default limit gives up"),
)


@rule(
    code="FRM010",
    name="long-line",
    severity=Severity.NOTE,
    summary="A line is longer than some readers take",
    on=("unusual", "unreadable", "end"),
    covers=("FRM-10",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="-> " + '{"jsonrpc": "2.0", "method": "_log", "params": {"text": "' + 66_000 * "x" + '"}}',
    good="-> " + '{"jsonrpc": "2.0", "method": "_log", "params": {"text": "' + 60_000 * "x" + '"}}',
)
def long_line(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ACP sets no limit to a line, but readers do: asyncio's `readline` stops at 64 KiB unless told
    otherwise, ACPex at 1 MiB, the TypeScript SDK at 32 MiB. A reader that stops in the middle of a
    line is lost from then on, and to a person it looks like an agent that hangs.

    Raise the limit of the reader. Send less where you can: ask for a part of a file, cut output,
    do not send a growing text again and again. Each limit is told once for each peer; when nothing
    at all came after a long line, that is said too.
    """
    if isinstance(moment, Ending):
        yield from _went_silent(moment, memory)
        return
    frame = moment.frame
    size = len(frame.raw)
    memory.pop("last", None)
    for limit, severity, why in _LIMITS:
        if size > limit:
            memory["last"] = frame.seq, frame.t, frame.sender, size
            reached = memory.get(frame.sender, 0)
            memory[frame.sender] = max(reached, limit)
            if limit > reached:
                yield Remark(
                    f"a line of {size:,} bytes is longer than {why}",
                    severity=severity,
                    blame=frame.sender.other if limit == LONG_LINE else None,
                    hint="raise the limit of the reader, or send less at once",
                )
            return


def _went_silent(ending: Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Tell of a long line that was the last thing in a conversation with work to do."""
    seq, t, sender, size = memory.get("last", (0, 0.0, Peer.AGENT, 0))
    if seq and ending.state.pending and ending.state.t == t:
        yield Remark(
            f"nothing came after this line of {size:,} bytes; did the reader give up?",
            on=seq,
            severity=Severity.WARNING,
            blame=sender.other,
            hint="raise the limit of the reader",
        )
