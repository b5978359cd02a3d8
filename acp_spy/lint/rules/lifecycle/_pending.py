"""Pending requests of the client."""

from acp_spy.conversation.state import Conversation, Exchange
from acp_spy.wire.frame import Peer


def pending(state: Conversation, method: str, session: str | None) -> Exchange | None:
    """Return the client's pending request for `method` in `session`."""
    for exchange in state.pending.about(method, session):
        if exchange.sender is Peer.CLIENT and exchange.id != b"null":  # nobody can answer that
            return exchange
    return None
