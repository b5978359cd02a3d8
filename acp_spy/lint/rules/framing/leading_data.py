"""A message has its line to itself."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.lines import message_name
from acp_spy.lint.noise import classify, quote
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM005",
    name="leading-data",
    severity=Severity.ERROR,
    summary="A message is preceded by other data on its line",
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
def leading_data(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports data before a message on the same line. acp-spy still reads the message after it.

    ## Why it matters

    Text that was written without a line end sticks to the next message. A client reads lines: it
    cannot read this one and loses the message together with the text. If the message is a response,
    the client waits forever.

    The usual causes are a terminal title, a spinner, a prompt without a newline, and two threads
    that write at the same time.

    ## Use instead

    Write everything except messages to stderr, and write each message with a single call.
    """
    for line in facts.lines:
        if line.kind != "glued":
            continue
        front = line.payload[: step.glued_at]
        torn = front.lstrip().startswith(b"{")
        what = "the beginning of another message" if torn else classify(front)
        yield Remark(
            f"{quote(front)} ({what}) precedes {message_name(step)} on the same line;"
            " expected the message alone",
            hint="write whole messages, one at a time"
            if torn
            else "write everything except messages to stderr",
        )
