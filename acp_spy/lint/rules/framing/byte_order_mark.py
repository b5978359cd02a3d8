"""A message has no byte order mark."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM002",
    name="byte-order-mark",
    severity=Severity.ERROR,
    summary="A byte order mark precedes a message",
    on=("line:bom",),
    covers=("FRM-01",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        ~> \xef\xbb\xbf{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
    """,
    good=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
    """,
)
def byte_order_mark(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a byte order mark (the bytes `EF BB BF`) before a message.

    ## Why it matters

    JSON on a connection must not begin with a byte order mark. Strict readers refuse the first
    message because of it. That message is `initialize`, so nothing works, and most editors do not
    show the three bytes.

    ## Use instead

    Open the stream as plain UTF-8: `utf-8` instead of `utf-8-sig`, `new UTF8Encoding(false)`.
    """
    for line in facts.lines:
        if line.kind == "bom":
            yield Remark(
                "a byte order mark (`EF BB BF`) precedes the message; expected `{` first",
                hint="write UTF-8 without a byte order mark",
            )
