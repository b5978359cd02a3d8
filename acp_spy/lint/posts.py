"""What an HTTP request must have, what is wrong with one, and which stream a response is for."""

import msgspec

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.conversation.state import Conversation, Exchange, Step
from acp_spy.protocol.names import SETUPS
from acp_spy.wire.cut import cut_at_word
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert
from acp_spy.wire.jsonrpc import Notification, Request, Response
from acp_spy.wire.values import fields, text

JSON = "application/json"
_OF_CONNECTION = frozenset(("session/new", "session/list"))
_LONGEST_BODY = 60  # characters
_HINTS = {
    401: "send credentials with every request",
    403: "check the credentials, and the `Origin` and `Host` that the server allows",
    404: "check the URL",
    413: "send less at once",
    429: "send fewer requests, or try again later",
    503: "try again later",
}
CLOSE_CODES = {  # what a server says with them, by RFC 6455
    1002: "a protocol error",
    1003: "a message of the client of a kind that the server does not accept",
    1007: "a message of the client that the server cannot decode",
    1008: "a message or a connection that the server does not allow",
    1009: "a message of the client that is too large",
    1011: "an error in the server",
}
_HINTS_BY_CLOSE_CODE = {  # those that are only about a message of the client
    1003: "send each message as text",
    1007: "send JSON in valid UTF-8",
    1009: "send less at once, or let the server accept larger messages",
}


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
    said = plain_text(exchange.body)
    return f"refused with {exchange.status}" + (f" `{said}`" if said else "")


def refusal_hint(exchange: HttpExchange) -> str:
    """Return how to fix a request that was refused, if its headers are right."""
    return _HINTS.get(exchange.status, "read the body of the response")


def close_hint(end: Disconnect) -> str:
    """Return how to fix the client's message that a server closed a WebSocket for, if one is."""
    return _HINTS_BY_CLOSE_CODE.get(end.code or 0, "")


def plain_text(said: str) -> str:
    """Return what a server said, as a short piece of a sentence."""
    said = " ".join(inert(said).replace("`", "'").split())
    return f"{cut_at_word(said, _LONGEST_BODY)}…" if len(said) > _LONGEST_BODY else said


def outcome(exchange: HttpExchange) -> str:
    """Return, as the end of a sentence, that a request was refused; nothing if it was not."""
    return f"; the agent {refusal(exchange)}" if exchange.is_refused else ""


def comes_on(end: Disconnect, exchange: Exchange) -> bool:
    """Whether the response to a request of the client should come on the stream that ended."""
    if exchange.sender is not Peer.CLIENT:
        return False
    of_session = exchange.session is not None and exchange.method not in SETUPS
    return end.transport == "ws" or (exchange.session if of_session else "") == end.session


def streams_for(exchange: Exchange) -> tuple[str, ...]:
    """
    Return the sessions of the streams on which the response to a request of the client may come.

    That of the connection has none: it is empty. The SDKs differ about `session/load`.
    """
    if exchange.method in SETUPS:
        return tuple(dict.fromkeys((exchange.session or "", "")))
    return (exchange.session or "",)


def named(connection: str, sessions: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return what the GET for one of these streams names; that it names no connection is NET004."""
    return [(each, session) for each in (connection, "") for session in sessions]


def stream_of(session: str) -> tuple[str, str]:
    """Return what to call the stream of a session, and the headers to open it with."""
    accept = "`Accept: text/event-stream`"
    if not session:
        return "stream of the connection", f"{accept} and `Acp-Connection-Id`"
    return (
        f"stream of session `{session}`",
        f"{accept}, `Acp-Connection-Id` and `Acp-Session-Id: {session}`",
    )


def has_updates(state: Conversation, exchange: Exchange) -> bool:
    """Whether the turn of a request was heard of, on whatever stream."""
    session = state.sessions.get(exchange.session or "")
    turn = session.turns.of(exchange) if session else None
    return turn is not None and turn.last is not None


def stream_name(end: Disconnect) -> str:
    """Return what to call a stream in a sentence, after `the`."""
    if end.transport == "ws":
        return "WebSocket"
    return "response to a POST" if end.stream == "post" else stream_of(end.session)[0]
