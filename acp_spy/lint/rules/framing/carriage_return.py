"""Lines end with a line feed."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM009",
    name="carriage-return",
    severity=Severity.NOTE,
    summary="Lines end with CR LF",
    on=("unusual",),
    covers=("FRM-02", "FRM-08"),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\r\n
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def carriage_return(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    r"""
    ## What it does

    Reports lines that end with `\r\n`, once per peer.

    ## Why it matters

    ACP separates messages with a line feed, `\n`. The known SDKs ignore a carriage return before
    it, because JSON allows whitespace there; a reader that compares bytes does not.

    The usual cause is a stream in text mode on Windows.

    ## Use instead

    Open stdout in binary mode, or with `newline="\n"`.
    """
    if step.frame.raw[-2:] != b"\r\n":
        return
    if step.frame.via is not None:
        return  # not a line
    if step.frame.sender not in memory:
        memory[step.frame.sender] = True
        yield Remark(
            "lines end with `\\r\\n`; ACP separates messages with `\\n`",
            hint='open the stream in binary mode, or with `newline="\\n"`',
        )
