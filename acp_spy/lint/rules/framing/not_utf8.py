"""Messages are UTF-8."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM001",
    name="not-utf8",
    severity=Severity.ERROR,
    summary="A message is not UTF-8",
    on=("line:encoding",),
    covers=("FRM-01",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ {"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"caf\xe9"}}\n
    """,
    good=r"""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <~ {"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"caf\xc3\xa9"}}\n
    """,
)
def not_utf8(_step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a line that is not valid UTF-8, and a stream that is in UTF-16 or UTF-32.

    ## Why it matters

    Every ACP message is encoded in UTF-8. A reader that finds other bytes drops the line or closes
    the connection.

    The usual cause is a program on Windows that writes in the code page of its console, or in
    UTF-16 as PowerShell does when it redirects.

    ## Use instead

    Set the encoding of the stream to UTF-8. Encoding a single text does not help.
    """
    for line in facts.lines:
        if line.kind != "encoding":
            continue
        if b"\0" in line.payload[:80]:
            if line.goes_on:
                continue
            seen = "the stream is UTF-16 or UTF-32"
        else:
            at, byte = _first_bad(line.payload)
            seen = f"byte {at} of the frame is `0x{byte:02x}`, which is not valid UTF-8 here"
        yield Remark(
            f"{seen}; ACP messages are UTF-8",
            on=line.seq,
            blame=line.sender,
            hint="set the encoding of the stream to UTF-8 (PYTHONUTF8=1, chcp 65001, ...)",
        )


def _first_bad(payload: bytes) -> tuple[int, int]:
    try:
        payload.decode()
    except UnicodeDecodeError as error:
        return error.start + 1, payload[error.start]
    return 1, payload[0]
