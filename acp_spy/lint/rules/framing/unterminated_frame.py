"""The last message ends with a line feed."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.lines import message_name
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.framing import LONGEST_LINE
from acp_spy.wire.jsonrpc import Unreadable


@rule(
    code="FRM011",
    name="unterminated-frame",
    severity=Severity.WARNING,
    summary="The last line of a stream does not end with a line feed",
    on=("line:header", "unterminated"),
    covers=("FRM-11",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        <- EOF
    """,
    good=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}\n
        <- EOF
    """,
)
def unterminated_frame(step: Step, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a stream that ends inside a message, or without a line feed after its last message.

    ## Why it matters

    A message is complete when its line feed has arrived. Most readers silently drop a line without
    one.

    Either the sender crashed while it wrote a message, or it exited without flushing its buffer, or
    it writes the line feed before the next message instead of after each one.

    ## Use instead

    Write a line feed after every message, and flush before you exit.
    """
    unusual_lines = facts.lines
    if any(line.kind == "header" for line in unusual_lines):
        memory[step.frame.sender] = True  # LSP's framing: FRM008 reports it
    if step.frame.raw.endswith(b"\n") or step.frame.sender in memory:
        return
    if len(step.frame.raw) >= LONGEST_LINE:
        return  # a part of a line: acp-spy itself has cut it
    if isinstance(step.message, Unreadable):
        if any(line.kind == "torn" for line in unusual_lines):
            yield Remark(
                f"the stream ends in the middle of a message, after {len(step.frame.raw):,} bytes",
                hint="flush before you exit; check whether the sender crashed",
            )
        return
    yield Remark(
        f"{message_name(step)} is complete, but the stream ends without `\\n` after it",
        hint="write `\\n` after every message, and flush before you exit",
    )
