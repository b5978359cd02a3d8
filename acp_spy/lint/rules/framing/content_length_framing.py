"""ACP has no headers."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM008",
    name="content-length-framing",
    severity=Severity.ERROR,
    summary="Messages have `Content-Length` headers, as in LSP",
    on=("line:header",),
    covers=("FRM-09",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        ~> Content-Length: 80\r\n
        ~> \r\n
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    """,
    good=r"""
        ~> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n
    """,
)
def content_length_framing(
    step: Step | Ending, facts: Facts, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports `Content-Length` headers, once per peer.

    ## Why it matters

    The Language Server Protocol sends a `Content-Length` header before each message. ACP has no
    headers: it sends a line feed after each message. A peer that reads lines finds a header instead
    of JSON, and often a message that never ends.

    Libraries for language servers (vscode-jsonrpc, lsp4j, pygls) use these headers by default.

    ## Use instead

    Use a reader and a writer of lines.
    """
    for line in facts.lines:
        if line.kind == "header" and isinstance(step, Step):
            sender = step.frame.sender
            if sender not in memory:
                memory[sender] = True
                yield Remark(
                    "`Content-Length` headers, as in LSP; ACP separates messages with `\\n`",
                    on=line.seq,
                    hint="write each message as one line that ends with `\\n`, without headers",
                )
