"""What an HTTP request must have, what is wrong with one, and which stream a response is for."""

import msgspec

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.conversation.state import Exchange, Step
from acp_spy.protocol.names import SETUPS
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert
from acp_spy.wire.jsonrpc import Notification, Request, Response
from acp_spy.wire.values import fields, text

JSON = "application/json"
_OF_CONNECTION = frozenset(("session/new", "session/list"))
_LONGEST_BODY = 60  # characters


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with the headers of a request: in words, and how to fix it."""

    kind: str
    text: str
    hint: str


def session_of(posted: Step) -> str | None:
    """Return the session that a POST must name in its header; `None` if it is about none."""
    if isinstance(posted.message, Response):
        return posted.exchange.session if posted.exchange else None
    if posted.method in _OF_CONNECTION or not posted.method.startswith("session/"):
        return None
    return text(fields(posted.body).get("sessionId"))


def fault_in(exchange: HttpExchange, posted: Step) -> Fault | None:
    """Return what is wrong with the headers of a POST that somebody has read."""
    if exchange.error and not exchange.status:
        return None
    if not exchange.connection and posted.method != "initialize":
        return Fault(
            "connection",
            "the header `Acp-Connection-Id` is missing",
            "send the `Acp-Connection-Id` from the response to `initialize` with every request",
        )
    if not is_json(exchange.request_headers.get("content-type", "")):
        given = exchange.request_headers.get("content-type")
        seen = f"is `{given}`" if given else "is missing"
        return Fault(
            "type",
            f"the header `Content-Type` {seen}; expected `{JSON}`",
            f"send `Content-Type: {JSON}` with every POST",
        )
    return _session_fault(exchange, posted)


def _session_fault(exchange: HttpExchange, posted: Step) -> Fault | None:
    session = session_of(posted)
    if session is None or exchange.session == session:
        return None
    what = "every response to a request of that session"
    if not isinstance(posted.message, Response):
        what = "every message about that session"
    hint = f"send `Acp-Session-Id: {session}` with {what}"
    if not exchange.session:
        return Fault("session", f"the header `Acp-Session-Id: {session}` is missing", hint)
    return Fault(
        "other session",
        f"the header `Acp-Session-Id` is `{exchange.session}`; expected `{session}`",
        hint,
    )


def is_json(content_type: str) -> bool:
    """Whether a content type is that of JSON."""
    return content_type.partition(";")[0].strip().lower() == JSON


def is_lost_response(exchange: HttpExchange, posted: Step) -> bool:
    """Whether a response was refused that the agent waits for."""
    is_answer = isinstance(posted.message, Response) and posted.exchange is not None
    return is_answer and exchange.is_refused


def name_of(posted: Step | None) -> str:
    """Return what to call the message of a POST in a sentence."""
    if posted is None:
        return "a request"
    if isinstance(posted.message, Request | Notification):
        return f"`{posted.method}`"
    if isinstance(posted.message, Response):
        return f"the response to `{posted.method}`" if posted.method else "a response"
    return "a body that is not a message"


def refusal(exchange: HttpExchange) -> str:
    """Return how a request was refused: the status, and what the body says."""
    said = " ".join(inert(exchange.body).replace("`", "'").split())
    if len(said) > _LONGEST_BODY:
        said = f"{said[:_LONGEST_BODY]}…"
    return f"refused with {exchange.status}" + (f" `{said}`" if said else "")


def outcome(exchange: HttpExchange) -> str:
    """Return, as the end of a sentence, that a request was refused; nothing if it was not."""
    return f"; the agent {refusal(exchange)}" if exchange.is_refused else ""


def comes_on(end: Disconnect, exchange: Exchange) -> bool:
    """Whether the response to a request of the client should come on the stream that ended."""
    if exchange.sender is not Peer.CLIENT:
        return False
    of_session = exchange.session is not None and exchange.method not in SETUPS
    return end.transport == "ws" or (exchange.session if of_session else "") == end.session


def stream_name(end: Disconnect) -> str:
    """Return what to call a stream in a sentence, after `the`."""
    if end.transport == "ws":
        return "WebSocket"
    return f"stream of {f'session `{end.session}`' if end.session else 'the connection'}"
