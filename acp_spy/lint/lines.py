"""
What an unusual line is: one kind for each, so that one rule reports it.

A reader remembers what it needs of earlier lines: JSON that is printed over several lines is one
mistake, and so is a banner.
"""

import json
import re
from typing import Any

import msgspec

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.other_protocols import foreign_protocol_in
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import NOT_JSON, Response, Unreadable
from acp_spy.wire.values import decoded

BOM = b"\xef\xbb\xbf"

_HEADER = re.compile(rb"Content-(?:Length|Type): *\S+\s*$", re.IGNORECASE)
_HEADER_BEHIND = re.compile(rb"[}\]]Content-Length: *\d+\s*$", re.IGNORECASE)
_LOG_KEYS = frozenset(("level", "severity", "lvl", "logger", "timestamp", "msg", "time", "ts"))
_ENVELOPE_KEYS = frozenset(("jsonrpc", "method", "result", "error"))


class UnusualLine(msgspec.Struct, frozen=True):
    """
    What a line is, who sent it, and where it began.

    `kind` is blank, header (of LSP), foreign, encoding, surrogate, bom, glued, trailing, batch,
    envelope, malformed, printed (over several lines), torn, or noise; `value` is the JSON value
    if there is one, `goes_on` says that the line before was of the same kind.
    """

    kind: str
    seq: int
    payload: bytes = b""
    sender: Peer = Peer.AGENT
    value: Any = None
    goes_on: bool = False


def looks_like_log(value: Any) -> bool:
    """Tell whether a JSON value is a log record: `{"level": "info", "msg": ...}`."""
    return isinstance(value, dict) and "jsonrpc" not in value and not _LOG_KEYS.isdisjoint(value)


def message_name(step: Step) -> str:
    """Return what to call the message of a step in a sentence."""
    if isinstance(step.message, Response):
        return f"the response to `{step.method}`" if step.method else "a response"
    return f"`{step.method}`" if step.method else "a message"


def judge_message(step: Step) -> UnusualLine | None:
    """Judge a line that holds a message, perhaps with something in front of it."""
    if not step.glued_at and step.frame.raw.startswith(b'{"jsonrpc"'):
        return None
    payload, seq = step.frame.payload, step.frame.seq
    if step.glued_at:
        front = payload[: step.glued_at]
        if front == BOM:
            return UnusualLine("bom", seq, payload)
        if is_header(front):
            return UnusualLine("header", seq, payload)
        value, end = _first_value(front)
        if end and isinstance(value, dict):
            return UnusualLine("trailing", seq, payload, value=value)
        return UnusualLine("glued", seq, payload)
    value = decoded(payload)
    if foreign_protocol_in(value):
        return UnusualLine("foreign", seq, payload, value=value)
    return UnusualLine("noise", seq, payload, value=value) if looks_like_log(value) else None


def judge_line(frame: Frame, message: Unreadable) -> UnusualLine:
    """Judge a line that holds no message."""
    payload, seq = frame.payload, frame.seq
    bare = payload.strip()
    if not bare:
        return UnusualLine("blank", seq)
    if is_header(payload):
        return UnusualLine("header", seq, payload)
    if message.reason == NOT_JSON and 0 not in payload:  # nearly all
        return UnusualLine("noise", seq, payload)
    if _is_wide(payload) or (message.reason.startswith("not UTF-8") and b'"' in payload):
        return UnusualLine("encoding", seq, payload)
    value = decoded(payload)
    if bare[:1] not in b"{[":
        is_twice_encoded = isinstance(value, str) and '"jsonrpc"' in value
        return UnusualLine("malformed" if is_twice_encoded else "noise", seq, payload, value=value)
    if value is not None:
        return UnusualLine(_kind_of_value(value), seq, payload, value=value)
    if "surrogate" in message.reason:
        return UnusualLine("surrogate", seq, payload)
    value, end = _first_value(payload)
    if end:
        whole = isinstance(value, dict) and not _ENVELOPE_KEYS.isdisjoint(value)
        return UnusualLine("trailing" if whole else "noise", seq, payload, value=value)
    if message.reason.endswith("truncated"):
        torn = not frame.raw.endswith(b"\n")
        return UnusualLine("torn" if torn else "printed", seq, payload)
    meant = b"jsonrpc" in payload or b'"method"' in payload
    return UnusualLine("malformed" if meant else "noise", seq, payload)


def judge_body(step: Step) -> UnusualLine | None:
    """Judge a body, an event or a WebSocket message: line ends mean nothing there."""
    if not isinstance(step.message, Unreadable):
        return judge_message(step)
    line = judge_line(step.frame, step.message)
    if line.kind == "blank":
        return None
    if line.kind in ("printed", "torn"):  # a part of a message, and no line will continue it
        return msgspec.structs.replace(line, kind="malformed")
    return line


def _kind_of_value(value: Any) -> str:
    if foreign_protocol_in(value):
        return "foreign"
    if isinstance(value, list):
        items = [item for item in value if isinstance(item, dict)]
        meant = any(not _ENVELOPE_KEYS.isdisjoint(item) for item in items)
        return "batch" if meant else "noise"
    return "envelope" if isinstance(value, dict) and "jsonrpc" in value else "noise"


def is_header(payload: bytes) -> bool:
    """Tell whether this is LSP's framing, which writes the next header directly after a message."""
    if payload[:1] in b"cC" and len(payload) < 80 and _HEADER.match(payload):
        return True
    may_end_so = payload.rstrip()[-1:].isdigit()  # nearly no line does
    return may_end_so and _HEADER_BEHIND.search(payload[-60:]) is not None


def _is_wide(payload: bytes) -> bool:
    """Tell whether this is UTF-16 or UTF-32: every second byte of plain text is zero there."""
    head = payload[:80]
    return head[:2] in (b"\xff\xfe", b"\xfe\xff") or head.count(0) * 3 > len(head)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)  # not NaN and Infinity


def _first_value(payload: bytes) -> tuple[Any, int]:
    """Return the JSON value that a line begins with, and where it ends; 0 if it has none."""
    try:
        text = payload.decode()
        return _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None, 0


MOST_LINES = 5_000
MOST_BYTES = 1024 * 1024
LONGEST_PAUSE = 1.0


class _Held(msgspec.Struct):
    """Lines that may be one message together."""

    seq: int
    t: float
    lines: list[bytes]
    size: int


class LineReader:
    """Feed it the steps that are unusual, in their order, then the ending."""

    def __init__(self) -> None:
        self._held: dict[Peer, _Held] = {}
        self._last: dict[Peer, tuple[int, str]] = {}

    def read(self, step: Step | Ending) -> list[UnusualLine]:
        """Return what is known now: about this line, or about some before it."""
        if not isinstance(step, Step):
            return [_given_up(held, sender) for sender, held in self._held.items()]
        frame = step.frame
        if frame.via is not None:
            return self._noted(frame, line) if (line := judge_body(step)) else []
        if not isinstance(step.message, Unreadable):
            line = judge_message(step)
            return self._noted(frame, line) if line else []
        if frame.sender in self._held:
            return self._read_next(frame, step.message)
        return self._read_first(frame, step.message)

    def _read_first(self, frame: Frame, message: Unreadable) -> list[UnusualLine]:
        line = judge_line(frame, message)
        if line.kind == "printed":
            self._held[frame.sender] = _Held(frame.seq, frame.t, [frame.payload], len(frame.raw))
            return []
        return self._noted(frame, line)

    def _read_next(self, frame: Frame, message: Unreadable) -> list[UnusualLine]:
        """Return the same of a line after some that may be one message together."""
        held = self._held[frame.sender]
        whole = _continue(held, frame)
        if whole is _NOT_YET:
            return []
        del self._held[frame.sender]
        if whole is not _NEVER:
            text = b"\n".join(held.lines)
            return [UnusualLine("printed", held.seq, text, frame.sender, whole)]
        return [_given_up(held, frame.sender), *self._read_first(frame, message)]

    def is_holding(self, sender: Peer) -> bool:
        """Tell whether the last lines of `sender` may be the beginning of a message."""
        return sender in self._held

    def give_up(self, sender: Peer) -> UnusualLine | None:
        """Return what the held lines of `sender` are if they are not a message; forget them."""
        held = self._held.pop(sender, None)
        return _given_up(held, sender) if held else None

    def _noted(self, frame: Frame, line: UnusualLine) -> list[UnusualLine]:
        before = self._last.get(frame.sender)
        self._last[frame.sender] = frame.seq, line.kind
        goes_on = before == (frame.seq - 1, line.kind)
        # Faster than `replace`.
        return [UnusualLine(line.kind, line.seq, line.payload, frame.sender, line.value, goes_on)]


_NOT_YET = object()
_NEVER = object()


def _continue(held: _Held, frame: Frame) -> Any:
    """Take one more line; return the JSON value that the lines form, if they do."""
    if frame.t - held.t > LONGEST_PAUSE:
        return _NEVER
    held.lines.append(frame.payload)
    held.t, held.size = frame.t, held.size + len(frame.raw)
    if len(held.lines) > MOST_LINES or held.size > MOST_BYTES:
        return _NEVER
    if not frame.payload.rstrip().endswith((b"}", b"]")):
        return _NOT_YET
    joined = b"\n".join(held.lines)
    if joined.count(b"{") > joined.count(b"}") and not frame.payload.startswith((b"}", b"]")):
        return _NOT_YET
    try:
        return json.loads(joined, strict=False)
    except (ValueError, RecursionError):
        return _NOT_YET


def _given_up(held: _Held, sender: Peer) -> UnusualLine:
    first = held.lines[0]
    meant = any(b'"jsonrpc"' in line for line in held.lines[:20])
    return UnusualLine("malformed" if meant else "noise", held.seq, first, sender)
