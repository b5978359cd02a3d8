"""HTTP exchanges and the ends of streams in a few words: a name, and what matters."""

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.units import counted, span
from acp_spy.wire.frame import Via

_SHORT = 12  # characters of an id


def exchange_words(http: HttpExchange) -> tuple[str, str]:
    """Return what an exchange is called, and its gist."""
    method = "WebSocket" if http.transport == "ws" else http.method
    status = str(http.status) if http.status else "failed"
    what = f"{method} {status}{' by acp-spy' if http.by == 'proxy' else ''}"
    about = f"frame {http.request}" if http.request else _stream(http) or http.path
    if http.error:
        return what, f"{about}: {http.error}"
    if http.is_refused:
        return what, f"{about} refused{f': {http.body}' if http.body else ''}"
    if not http.request and http.stream:
        about += " opened"
    return what, about


def via_words(via: Via) -> str:
    """Return how a frame came, and with which ids in the headers."""
    if via.transport == "ws":
        how = f"{'binary ' if via.binary else ''}WebSocket message"
        return f"{how}, Acp-Connection-Id: {via.connection}" if via.connection else how
    how = "body of a POST" if not via.status else f"response to a POST, status {via.status}"
    if via.stream != "post":
        how = f"event on the stream of the {via.stream}"
    ids = {"Acp-Connection-Id": via.connection, "Acp-Session-Id": via.session}
    given = (f"{name}: {value or '(not sent)'}" for name, value in ids.items())
    return ", ".join((how, *given))


def disconnect_words(end: Disconnect) -> tuple[str, str]:
    """Return what the end of a stream is called, and its gist."""
    name = "WebSocket" if end.transport == "ws" else "stream"
    how = "lost" if end.lost else "closed"
    by = " by acp-spy" if end.by == "proxy" else ""
    said = " ".join(filter(None, (str(end.code or ""), end.reason, end.error)))
    unit = "message" if end.transport == "ws" else "event"
    parts = (
        _stream(end).removeprefix("stream of ") if end.transport == "http" else "",
        said,
        counted(end.events, unit),
        counted(end.comments, "comment") if end.comments else "",
        f"longest silence {span(end.silence)}" if end.silence >= 1 else "",
    )
    return f"{name} {how}{by}", ", ".join(filter(None, parts))


def _stream(record: HttpExchange | Disconnect) -> str:
    if record.transport == "ws":
        return "connection"
    if record.stream == "session":
        short = record.session
        return f"stream of session {short if len(short) <= _SHORT else f'{short[:8]}…'}"
    return "stream of the connection" if record.stream == "connection" else ""
