"""Requests have an id, notifications do not."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.unusual import KNOWN
from acp_spy.protocol.tables import NAMES, spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request

_WAYS = {name: [way for n in NAMES for way in spec(n).find(name)] for name in sorted(KNOWN)}
SENDERS: dict[str, frozenset[Peer]] = {
    name: frozenset(peer for way in ways for peer in way.senders) for name, ways in _WAYS.items()
}
ONLY: dict[str, str] = {
    name: ways[0].kind for name, ways in _WAYS.items() if len({way.kind for way in ways}) == 1
}


@rule(
    code="RPC014",
    name="wrong-message-kind",
    severity=Severity.ERROR,
    summary="A request was sent as a notification, or a notification as a request",
    on=tuple(
        f"{'request' if kind == 'notification' else 'notification'}:{name}"
        for name, kind in ONLY.items()
    ),
    covers=("RPC-14", "PER-01", "CAN-01"),
    spec="https://agentclientprotocol.com/protocol/overview#communication-model",
    bad="""
        -> {"jsonrpc": "2.0", "id": 4, "method": "session/cancel", "params": {"sessionId": "s1"}}
        <- {"jsonrpc": "2.0", "id": 4, "error": {"code": -32601, "message": "Method not found"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
    """,
)
def wrong_message_kind(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports requests without an `id`, and notifications with one. `session/cancel`,
    `session/update`, `elicitation/complete` and `$/cancel_request` are notifications; all other
    methods are requests.

    ## Why it matters

    With an `id`, most peers do not know these notifications: a cancel is refused and the turn
    continues. A request without an `id` cannot be answered: a permission that is requested this way
    is never given.

    ## Use instead

    Send notifications without `id`, and requests with one.
    """
    if step.frame.sender not in SENDERS.get(step.method, ()):
        return
    kind = ONLY.get(step.method)
    if isinstance(step.message, Request) and kind == "notification":
        yield Remark(
            f"`{step.method}` has an id; it is a notification and gets no response",
            at="/id",
            hint="remove `id`, and do not wait for a response",
        )
    elif isinstance(step.message, Notification) and kind == "request":
        yield Remark(
            f"`{step.method}` has no id; it is a request and needs one",
            hint="add an `id`, and wait for the response",
        )
