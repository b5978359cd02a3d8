"""No line is empty."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM016",
    name="blank-line",
    severity=Severity.NOTE,
    summary="A line between messages is empty",
    on=("line:blank", "line:header", "line:noise"),
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
def blank_line(step: Step | Ending, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    r"""
    The known SDKs pass over empty lines; a strict reader takes one for a message that is not JSON,
    and answers with a parse error.

    As a rule the line feed is written twice: `print(text + "\n")`. Lines that follow each other are
    told once.
    """
    for line in facts.lines:
        if not isinstance(step, Step):
            continue
        if line.kind in ("header", "noise"):
            memory[step.frame.sender] = step.frame.seq  # what follows belongs to that
            continue
        follows = memory.get(step.frame.sender) == step.frame.seq - 1
        if line.kind == "blank" and not line.goes_on and not follows:
            yield Remark(
                "an empty line, where only messages may be",
                on=line.seq,
                hint="write one line feed after each message, and none elsewhere",
            )
