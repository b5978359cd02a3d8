"""Some readers limit the length of a line."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer

MIB = 1024 * 1024

# From the largest: a line above 32 MiB is not reported again for 1 MiB.
_LIMITS = (
    (32 * MIB, Severity.ERROR, "the TypeScript SDK refuses lines over 32 MiB"),
    (MIB, Severity.WARNING, "some readers (ACPex) stop at 1 MiB"),
)

_ASKED = """
        <- {"jsonrpc": "2.0", "id": 7, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "/home/dev/project/big.txt"}}
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {}}
"""
_ANSWER = '-> {"jsonrpc": "2.0", "id": 7, "result": {"content": "' + 66_000 * "x" + '"}}\n'
_GOES_ON = '<- {"jsonrpc": "2.0", "id": 2, "result": {"sessions": []}}'


@rule(
    code="FRM010",
    name="long-line",
    severity=Severity.WARNING,
    summary="A line is longer than some readers allow",
    on=("long", "end"),
    covers=("FRM-10",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=_ASKED + _ANSWER,
    good=_ASKED + _ANSWER + _GOES_ON,
)
def long_line(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports lines over 1 MiB (warning) and 32 MiB (error), each limit once per peer. A line over 64
    KiB is reported if nothing follows it although requests are pending: the reader may have
    stopped.

    ## Why it matters

    ACP sets no limit, but readers do: asyncio's `readline` stops at 64 KiB by default, ACPex at 1
    MiB, the TypeScript SDK at 32 MiB. A reader that stops inside a line cannot recover, and the
    agent seems to hang.

    ## Use instead

    Raise the limit of the reader. Send less where you can: read a part of a file, limit output, and
    do not send a growing text again and again.
    """
    if isinstance(moment, Ending):
        yield from _went_silent(moment, memory)
        return
    frame = moment.frame
    size = len(frame.raw)
    if frame.via is not None:
        return  # not a line
    memory["last"] = frame.seq, frame.sender, size
    for limit, severity, why in _LIMITS:
        if size > limit:
            reached = memory.get(frame.sender, 0)
            memory[frame.sender] = max(reached, limit)
            if limit > reached:
                yield Remark(
                    f"this line has {size:,} bytes; {why}",
                    severity=severity,
                    hint="raise the reader's limit, or send less at once",
                )
            return


def _went_silent(ending: Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """Report a long line after which nothing came, although requests were pending."""
    seq, sender, size = memory.get("last", (0, Peer.AGENT, 0))
    if seq and ending.state.pending and ending.state.last.seq == seq:
        yield Remark(
            f"nothing followed this line of {size:,} bytes; the reader may have stopped: asyncio's"
            " default limit is 64 KiB",
            on=seq,
            blame=sender.other,
            hint="raise the reader's limit",
        )
