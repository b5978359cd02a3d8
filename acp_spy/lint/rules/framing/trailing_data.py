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
    summary="Something follows a message on its line",
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
    Each message is followed by a line feed and by nothing else. A second message on the same
    line, or text behind the first, makes the whole line unreadable: the peer drops it, answers
    with a parse error, or ends the connection.

    Write the line feed together with the message, in one call.
    """
    for line in facts.lines:
        if line.kind != "trailing":
            continue
        method = line.value.get("method")
        first = f"`{method}`" if isinstance(method, str) else "the message"
        if isinstance(step, Step) and step.glued_at:
            seen = f"{first} is followed by a second message on its line"
        else:
            seen = f"{first} is followed by {quote(_rest(line.payload))} on its line"
        yield Remark(
            f"{seen}; expected a line feed",
            on=line.seq,
            blame=line.sender,
            hint="end every message with `\\n`, written in the same call",
        )


def _rest(payload: bytes) -> bytes:
    """Return what follows the last brace, which is the message's as a rule."""
    return payload[payload.rfind(b"}") + 1 :] or payload[-40:]
