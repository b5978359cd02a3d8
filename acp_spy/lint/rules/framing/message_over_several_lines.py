"""A message is one line."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM007",
    name="message-over-several-lines",
    severity=Severity.ERROR,
    summary="A message is printed over several lines",
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
def message_over_several_lines(_step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    r"""
    The line feed ends a message, so none may stand inside. JSON that is printed for people, with
    indentation, is many broken lines to the peer. A line break within a text must be escaped, as
    `\n`.

    Turn off the pretty printer: `json.dumps(message)` without `indent`,
    `JSON.stringify(message)` with one argument.
    """
    for line in facts.lines:
        if line.kind != "printed":
            continue
        lines = line.payload.count(b"\n") + 1
        method = line.value.get("method") if isinstance(line.value, dict) else None
        name = f"`{method}`" if isinstance(method, str) else "a JSON value"
        yield Remark(
            f"{name} is spread over {lines} lines; a message is one line",
            on=line.seq,
            blame=line.sender,
            hint="write JSON without indentation, and escape line breaks in strings",
        )
