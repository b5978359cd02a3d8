"""A line ends where its message ends."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="FRM006",
    name="trailing-data",
    severity=Severity.ERROR,
    summary="A message is followed by other data on its line",
    on=("line:trailing",),
    covers=("FRM-02", "FRM-14"),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        ~> {"jsonrpc":"2.0","id":1,"method":"session/list"}{"jsonrpc":"2.0","id":2,"method":"logout"}\n
    """,
    good=r"""
        ~> {"jsonrpc":"2.0","id":1,"method":"session/list"}\n
        ~> {"jsonrpc":"2.0","id":2,"method":"logout"}\n
    """,
)
def trailing_data(step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports data after a message on the same line: a second message, or text.

    ## Why it matters

    A message ends with a line feed. Anything else after it makes the whole line unreadable: the
    peer drops it, answers with a parse error, or closes the connection.

    ## Use instead

    Write the line feed together with the message, in one call.
    """
    for line in facts.lines:
        if line.kind != "trailing":
            continue
        method = line.value.get("method")
        first = f"`{method}`" if isinstance(method, str) else "the message"
        if isinstance(step, Step) and step.glued_at:
            seen = f"{first} is followed by a second message on the same line"
        else:
            seen = f"{first} is followed by {quote(_rest(line.payload))} on the same line"
        yield Remark(
            f"{seen}; expected `\\n` after the message",
            on=line.seq,
            blame=line.sender,
            hint="write `\\n` after every message, in the same call",
        )


def _rest(payload: bytes) -> bytes:
    """Return what follows the last brace, which usually ends the message."""
    return payload[payload.rfind(b"}") + 1 :] or payload[-40:]
