"""A message is one line."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM007",
    name="multiline-message",
    severity=Severity.ERROR,
    summary="A message spans several lines",
    on=("line:printed",),
    covers=("FRM-03",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        -> {
        ->   "jsonrpc": "2.0",
        ->   "id": 0,
        ->   "method": "initialize",
        ->   "params": {"protocolVersion": 1}
        -> }
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    """,
)
def multiline_message(_step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    r"""
    ## What it does

    Reports JSON that is printed over several lines.

    ## Why it matters

    A line feed ends a message, so a message cannot contain one. Indented JSON is many broken lines
    to the peer.

    ## Use instead

    Encode without indentation: `json.dumps(message)` without `indent`, `JSON.stringify(message)`
    with one argument. Escape a line break in a string as `\n`.
    """
    for line in facts.lines:
        if line.kind != "printed":
            continue
        lines = line.payload.count(b"\n") + 1
        method = line.value.get("method") if isinstance(line.value, dict) else None
        name = f"`{method}`" if isinstance(method, str) else "a JSON value"
        yield Remark(
            f"{name} spans {lines} lines; a message must be on one line",
            on=line.seq,
            blame=line.sender,
            hint="encode JSON without indentation, and escape line breaks in strings",
        )
