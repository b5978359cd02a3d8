"""
What became of frames on their way: what acp-spy held, dropped, answered or replaced, as state.

A peer that asked waits for what was delivered, not for what was sent.
"""

from collections.abc import Callable

from acp_spy.capture.records import (
    ANSWERED,
    BESIDE,
    CLOSED,
    DROPPED,
    HELD,
    INJECTED,
    INTERCEPT,
    REPLACED,
    SIGNALED,
    Delivery,
)
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Exchange, Phase, Step, Turn, Withheld
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Notification, Request, Response, read_message
from acp_spy.wire.values import decoded

_REWORDS = ("dialect ", "fix ")  # what these change means the same as before
_CHANGES = (", fault ", ", script ", f", {INTERCEPT}")  # who may have come on top of that

Look = Callable[[Frame], Step]  # what a frame means


def is_reworded(delivery: Delivery) -> bool:
    """Whether a frame was only translated or repaired, and nothing came on top of that."""
    by = delivery.by
    return by.startswith(_REWORDS) and not any(each in by for each in _CHANGES)


def note_delivery(state: Conversation, delivery: Delivery, last: Step | None, look: Look) -> None:
    """Take in what became of a frame, `last` mostly, and what a peer got from somebody else."""
    action = delivery.action
    if action in (HELD, DROPPED):
        _withhold(state, delivery, last)
    elif action == ANSWERED:
        state.withheld.pop(delivery.seq, None)
    elif action in (CLOSED, SIGNALED):
        state.ended_by = state.ended_by or delivery
    elif action not in BESIDE:
        _hand_over(state, delivery, last)
    if action in (INJECTED, REPLACED) and delivery.raw is not None:
        _note_made(state, delivery, delivery.raw, look)


def end_turn(state: Conversation, ended: Exchange) -> None:
    """Take in that a turn has ended: nobody waits any more for what was dropped before it."""
    withheld = state.withheld
    for seq, each in [*withheld.items()]:
        about = each.exchange
        if about is None or each.action == HELD or about.session not in (None, ended.session):
            continue
        if about is ended or about.sender is ended.sender.other or about.seq < ended.seq:
            del withheld[seq]


def forget_request(state: Conversation, seq: int) -> None:
    """
    Expect no response to the request in a frame, which never reached the other peer.

    What was injected beside that frame did reach it.
    """
    pending = state.pending
    for forgotten in pending.asked_in(seq):
        if forgotten.is_injected:
            continue
        del pending[forgotten.sender, forgotten.id]
        _forget_turn(state, forgotten)
        if forgotten.method == "initialize" and Peer.AGENT in state.capabilities:
            state.phase = Phase.READY  # an earlier one was answered


def forget_cancel(state: Conversation, session: str, seq: int) -> None:
    """Take in that the cancel in a frame never reached the agent, if there is one."""
    known = state.sessions.get(session)
    for turn in known.turns if known else ():
        if turn.cancelled_seq == seq:
            turn.cancelled_at = turn.cancelled_seq = None


def _forget_turn(state: Conversation, prompt: Exchange) -> None:
    known = state.sessions.get(prompt.session or "")
    if known is not None and (turn := known.turns.of(prompt)):
        known.turns.end(turn)


def _note_made(state: Conversation, delivery: Delivery, raw: bytes, look: Look) -> None:
    """Take in a message that neither peer sent."""
    frame = Frame(delivery.seq, delivery.t, delivery.to.other, raw)
    message, pending = read_message(frame.payload), state.pending
    if isinstance(message, Request):
        key = frame.sender, message.id
        exchange = look(frame).exchange
        if exchange and key not in pending:
            exchange.is_injected = delivery.action == INJECTED
            pending[key] = exchange
    elif isinstance(message, Response):
        _note_made_response(state, delivery, message)


def _note_made_response(state: Conversation, delivery: Delivery, message: Response) -> None:
    """Take in a response that is not the one that was sent: nobody waits any more."""
    withheld = state.withheld
    for seq, each in [*withheld.items()]:
        about = each.exchange
        if about is not None and (about.sender, about.id) == (delivery.to, message.id):
            del withheld[seq]
    key = delivery.to, message.id
    answered = state.pending.get(key)
    if answered is not None:
        del state.pending[key]
        _forget_turn(state, answered)


def _withhold(state: Conversation, delivery: Delivery, last: Step | None) -> None:
    """Take in that a frame is held or dropped, as far as somebody waits because of it."""
    seq, is_held = delivery.seq, delivery.action == HELD
    known = state.withheld.pop(seq, None) or _undelivered(delivery, last)
    if not is_held and (known.exchange is None or is_reworded(delivery)):
        return  # nobody waits for it
    if known.method == "session/cancel" and (turn := _turn_of(state, known.exchange)):
        turn.cancelled_at = turn.cancelled_seq = None
    _keep(state, known, delivery)


def _keep(state: Conversation, known: Withheld, delivery: Delivery) -> None:
    known.action, known.by, known.t = delivery.action, delivery.by, delivery.t
    remember(state.withheld, delivery.seq, known)


def _undelivered(delivery: Delivery, last: Step | None) -> Withheld:
    """Return what is known of a frame that does not arrive as it was sent."""
    found = Withheld(delivery.seq, delivery.t, delivery.to, delivery.by, delivery.action)
    if last is None or last.frame.seq != delivery.seq:
        found.kind, found.method = "notification", "session/update"  # a plain piece of text
        return found
    found.method = last.name
    if isinstance(last.message, Request | Response):
        found.kind = "request" if isinstance(last.message, Request) else "response"
        if last.exchange is not None and not last.exchange.is_injected:
            found.exchange = last.exchange
    elif isinstance(last.message, Notification):
        found.kind = "notification"
        if last.method == "session/cancel" and last.session and last.session.turn:
            found.exchange = last.session.turn.exchange
    return found


def _hand_over(state: Conversation, delivery: Delivery, last: Step | None) -> None:
    """Take in that a frame is delivered: as it was sent, or something else in its place."""
    known = state.withheld.pop(delivery.seq, None)
    if delivery.action == REPLACED:
        if is_reworded(delivery):
            return
        known = known or _undelivered(delivery, last)
        if known.exchange is not None and not _can_replace(known, delivery.raw or b""):
            _keep(state, known, delivery)
            return
        if known.exchange is not None and known.kind == "request":
            known.exchange.is_replaced = True
    if known and known.method == "session/cancel" and (turn := _turn_of(state, known.exchange)):
        turn.cancelled_at, turn.cancelled_seq = delivery.t, delivery.seq


def _can_replace(sent: Withheld, raw: bytes) -> bool:
    """Whether a line can take the place of a request, a response or a cancel."""
    message, exchange = read_message(raw.strip(b"\r\n")), sent.exchange
    if sent.kind == "notification" or exchange is None:
        return isinstance(message, Notification) and message.method == sent.method
    kind = Request if sent.kind == "request" else Response
    return isinstance(message, kind) and decoded(message.id) == decoded(exchange.id)


def _turn_of(state: Conversation, exchange: Exchange | None) -> Turn | None:
    """Return the open turn of a prompt."""
    session = state.sessions.get(exchange.session or "") if exchange else None
    return session.turns.of(exchange) if session else None
