"""A message has its line to itself."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import classify, quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Response


@rule(
    code="FRM005",
    name="glued-noise",
    severity=Severity.ERROR,
    summary="Something stands before a message on its line",
    on=("line:glued",),
    covers=("FRM-04", "FRM-05"),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ \x1b]0;my-agent\x07{"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}\n
    """,
    good=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}\n
    """,
)
def glued_noise(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    Text that was written without a line end sticks to the message that comes next. A client reads
    line by line: it cannot read this one, and loses the message with the noise. When it is an
    answer, the client waits for ever.

    A title for the terminal, a spinner, a prompt without its newline and two threads that write at
    once are the usual causes. acp-spy has read the hidden message all the same.
    """
    for line in facts.lines:
        if line.kind != "glued":
            continue
        front = line.payload[: step.glued_at]
        torn = front.lstrip().startswith(b"{")
        what = "the beginning of another message" if torn else classify(front)
        yield Remark(
            f"{quote(front)} ({what}) stands before {_name(step)} on the same line;"
            " most readers lose both",
            hint="let one writer write whole messages, one at a time"
            if torn
            else "write to stderr what is no message",
        )


def _name(step: Step) -> str:
    if isinstance(step.message, Response):
        return f"the answer to `{step.method}`" if step.method else "an answer"
    return f"`{step.method}`"
