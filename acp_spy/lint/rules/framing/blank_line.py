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
    summary="There is an empty line between messages",
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
    ## What it does

    Reports empty lines between messages. Consecutive lines are reported once.

    ## Why it matters

    The known SDKs skip empty lines. A strict reader takes one for a message that is not JSON and
    answers with a parse error.

    ## Use instead

    Write one line feed after each message. The usual mistake is to write it twice: `print(text +
    "\n")`.
    """
    for line in facts.lines:
        if not isinstance(step, Step):
            continue
        if line.kind in ("header", "noise"):
            memory[step.frame.sender] = step.frame.seq  # an empty line after it belongs to it
            continue
        follows = memory.get(step.frame.sender) == step.frame.seq - 1
        if line.kind == "blank" and not line.goes_on and not follows:
            yield Remark(
                "an empty line; every line must be a JSON-RPC message",
                on=line.seq,
                hint="write one `\\n` after each message, and none elsewhere",
            )
