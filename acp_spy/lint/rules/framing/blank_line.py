"""No line is empty."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.lines import read_line
from acp_spy.lint.model import Remark, Severity, rule


@rule(
    code="FRM016",
    name="blank-line",
    severity=Severity.NOTE,
    summary="A line between messages is empty",
    on=("unreadable", "glued"),
    covers=("FRM-04", "FRM-05", "FRM-08"),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
        ~> \n
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def blank_line(step: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    r"""
    The known SDKs pass over empty lines; a strict reader takes one for a message that is not JSON,
    and answers with a parse error.

    As a rule the line feed is written twice: `print(text + "\n")`. Lines that follow each other are
    told once.
    """
    for odd in read_line(step, memory):
        if not isinstance(step, Step):
            continue
        if odd.kind in ("header", "noise"):
            memory[step.frame.sender] = step.frame.seq  # what follows belongs to that
            continue
        follows = memory.get(step.frame.sender) == step.frame.seq - 1
        if odd.kind == "blank" and not odd.goes_on and not follows:
            yield Remark(
                "an empty line, where only messages may be",
                on=odd.seq,
                hint="write one line feed after each message, and none elsewhere",
            )
