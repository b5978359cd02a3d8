"""
What an observer of the Python SDK's `Connection` has logged, in one of the usual ways.

An observer is given a `StreamEvent` with a direction and a message. People print it, log the two
next to each other, or write them as JSON, with or without a time. Directions are as one peer saw
them; the methods show which.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.senders import sender_of
from acp_spy.capture.foreign.source import Source
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Request, read_message

_INCOMING = {"incoming": True, "in": True, "outgoing": False, "out": False}
_DIRECTIONS, _MESSAGES = ("direction", "dir"), ("message", "frame")
_TIMES = ("timestamp", "ts", "time", "at")
# Up to the message, whose end is found apart: tried from each such word, it would take too long.
_LOGGED = re.compile(rb"\b(incoming|outgoing)\b[^{]{0,40}(?=\{)", re.IGNORECASE)
_STAMP = re.compile(rb"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?)")
_LONGEST_LITERAL = 4 * 1024 * 1024
_MOST_VALUES = 200_000  # in a literal: reading one takes up to 1.5 kB
_MILLISECONDS = 1e11  # a time beyond this is not in seconds, but in thousandths


class _Event(msgspec.Struct, frozen=True):
    """A line of the log; `raw` is empty if the message in it cannot be read."""

    incoming: bool
    raw: bytes
    at: float | None


class PythonSdkReading(Reading):
    """The log of an observer, in the agent or in the client."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._observer = Peer.AGENT

    def lines(self) -> Iterator[LoggedLine]:
        """Give the messages; of an agent's log, the other lines as its stderr."""
        votes = {Peer.CLIENT: 0, Peer.AGENT: 0}
        at: float | None = None
        others = 0
        for _, line in self.source.lines():
            event = _read(line)
            if event is None:
                others += 1
                if self._observer is Peer.AGENT:
                    yield LoggedLine(None, line, at)
                continue
            at = at if event.at is None else event.at
            if not event.raw:
                self.remarks["messages that cannot be read, left out"] += 1
                continue
            if seen_by := _observer(event):
                votes[seen_by] += 1
            yield LoggedLine(
                self._observer.other if event.incoming else self._observer, event.raw, at
            )
        self._observer = max(Peer.AGENT, Peer.CLIENT, key=lambda peer: votes[peer])
        if not any(votes.values()):
            self.remarks["it is not known whose log it is; assumed to be the agent's"] = 0
        if others and self._observer is Peer.CLIENT:
            self.remarks["other lines of the client's log left out"] = others


def _observer(event: _Event) -> Peer | None:
    """Return whose log this is, if the message shows it."""
    message = read_message(event.raw[:-1])
    if not isinstance(message, Request | Notification):
        return None
    sender = sender_of(message.method)
    return sender.other if sender and event.incoming else sender


def _read(line: bytes) -> _Event | None:
    """Return the event of a line, if it is one."""
    if line.lstrip()[:1] == b"{":
        record = _loaded(line)
        if record is not None:
            return _from_json(record)
    found = _LOGGED.search(line)
    if found is None:
        return None
    text = line[found.end() : line.rfind(b"}") + 1]
    message = _loaded(text) or _literal(text)
    if message is None or "jsonrpc" not in message:
        return None
    stamp = _STAMP.match(line)
    at = _seconds(stamp[1].decode()) if stamp else None
    return _Event(found[1].lower() == b"incoming", _spelled(message, text), at)


def _from_json(record: Mapping[str, Any]) -> _Event | None:
    direction = next((record[key] for key in _DIRECTIONS if key in record), None)
    message = next((record[key] for key in _MESSAGES if key in record), None)
    if not isinstance(direction, str) or not isinstance(message, dict | str):
        return None
    incoming = _INCOMING.get(direction.lower().removeprefix("streamdirection."))
    if incoming is None:
        return None
    at = _seconds(next((record[key] for key in _TIMES if key in record), None))
    if isinstance(message, str):  # a line that is no JSON, or JSON as text
        return _Event(incoming, message.encode(errors="surrogatepass") + b"\n", at)
    return _Event(incoming, _spelled(message, b""), at)


def _loaded(text: bytes) -> dict[str, Any] | None:
    """Return the object that `text` is in JSON; unlike msgspec, with lone surrogates."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_STRING = re.compile(rb"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'", re.DOTALL)
# At one go: a quote that nothing closes would be tried again from each escaped quote after it.
_CLOSED = re.compile(rb"(?:[^\"']++|" + _STRING.pattern + rb")*+", re.DOTALL)
_FORMATTED = re.compile(rb"(?i:(?<!\w)(?:f|fr|rf)\")")


def _literal(text: bytes) -> dict[str, Any] | None:
    """Return the dict that `text` is in Python."""
    if len(text) > _LONGEST_LITERAL or text.count(b",") > _MOST_VALUES:
        return None
    if not _CLOSED.fullmatch(text):
        return None
    if _FORMATTED.search(_STRING.sub(b'""', text)):
        return None  # no message has one, and to parse it takes the square of its length
    try:
        with warnings.catch_warnings():  # about what is in the log, and would be printed raw
            warnings.simplefilter("ignore")
            tree = ast.parse(text.decode(), mode="eval")
        if not all(map(_may_be_json, ast.walk(tree))):
            return None
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def _may_be_json(node: ast.AST) -> bool:
    """Whether it is no set, and no dict with numbers as keys: their hashes can all be the same."""
    if isinstance(node, ast.Dict):
        return all(
            isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys
        )
    return not isinstance(node, ast.Set)


def _spelled(message: dict[str, Any], text: bytes) -> bytes:
    """Return the message as the SDK would have sent it; as it is there, if that is JSON."""
    if text[:2] == b'{"':
        return text + b"\n"
    try:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"
    except (ValueError, TypeError, RecursionError):  # a literal of what JSON does not have
        return b""


def _seconds(value: Any) -> float | None:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value / 1000 if value > _MILLISECONDS else float(value)
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _is_line(line: bytes) -> bool:
    return _read(line) is not None


FORMAT = Format(
    name="python-sdk",
    title="the log of the Python SDK's observer",
    keeps="messages, senders, times if the log has them, the agent's other log lines as stderr",
    lost="exact bytes, the date, lines that are not messages, exit",
    reading=PythonSdkReading,
    is_line=_is_line,
)
