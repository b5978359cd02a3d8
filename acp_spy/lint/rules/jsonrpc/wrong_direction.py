"""Each method is sent by one of the two peers."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.jsonrpc.wrong_message_kind import SENDERS
from acp_spy.wire.jsonrpc import Notification, Request

# Updates are most of the traffic; one that a client sends is `unusual`.
_ONE_WAY = [name for name, who in SENDERS.items() if len(who) == 1 and name != "session/update"]


@rule(
    code="RPC015",
    name="wrong-direction",
    severity=Severity.ERROR,
    summary="A method was sent by the peer that should receive it",
    on=(
        "unusual",
        *(f"{kind}:{name}" for name in _ONE_WAY for kind in ("request", "notification")),
    ),
    covers=("RPC-15",),
    spec="https://agentclientprotocol.com/protocol/overview#communication-model",
    bad="""
        <- {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        -> {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
    """,
)
def wrong_direction(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports methods that the other peer should send: prompts from the agent, updates from the
    client.

    ## Why it matters

    The receiver does not know the method. The client sends prompts; the agent sends updates and
    requests files, terminals and permissions.

    Either client and agent are swapped, or a bridge sends messages back instead of forwarding them.

    ## Use instead

    Check which program is started as the client and which as the agent, and forward messages to the
    other side.
    """
    if not isinstance(step.message, Request | Notification):
        return
    senders = SENDERS.get(step.method)
    if senders and step.frame.sender not in senders:
        this, other = step.frame.sender.value, step.frame.sender.other.value
        yield Remark(
            f"the {this} sent `{step.method}`; only the {other} sends it",
            at="/method",
            hint="are client and agent swapped?",
        )
