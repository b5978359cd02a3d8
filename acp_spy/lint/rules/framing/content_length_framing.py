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
    summary="Messages are framed with LSP's headers",
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
    The language server protocol puts `Content-Length` before each message; ACP does not. It puts
    one line feed after each. A peer that reads lines finds a header where JSON should be, and
    often a message that never ends.

    Libraries for language servers (vscode-jsonrpc, lsp4j, pygls) frame in this way unless told
    otherwise: take a reader and writer of lines. Told once for each peer.
    """
    for line in facts.lines:
        if line.kind == "header" and isinstance(step, Step):
            sender = step.frame.sender
            if sender not in memory:
                memory[sender] = True
                yield Remark(
                    "`Content-Length` headers, the framing of LSP; in ACP a message is a line",
                    on=line.seq,
                    hint="write each message as one line that ends with `\\n`, without headers",
                )
