"""What one line is whose spelling is odd, taken for itself."""

import json
import re
from typing import Any

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.conversation.tracker import decoded
from acp_spy.lint.tongues import foreign_tongue
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Unreadable

BOM = b"\xef\xbb\xbf"

_HEADER = re.compile(rb"Content-(?:Length|Type): *\S+\s*$", re.IGNORECASE)
_HEADER_BEHIND = re.compile(rb"[}\]]Content-Length: *\d+\s*$", re.IGNORECASE)
_LOG_KEYS = frozenset(("level", "severity", "lvl", "logger", "timestamp", "msg", "time", "ts"))
_ENVELOPE_KEYS = frozenset(("jsonrpc", "method", "result", "error"))


class OddLine(msgspec.Struct, frozen=True):
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


def judge_message(step: Step) -> OddLine | None:
    """Judge a line that holds a message, perhaps with something in front of it."""
    payload, seq = step.frame.payload, step.frame.seq
    if step.glued_at:
        front = payload[: step.glued_at]
        if front == BOM:
            return OddLine("bom", seq, payload)
        if is_header(front):
            return OddLine("header", seq, payload)
        value, end = _first_value(front)
        if end and isinstance(value, dict):
            return OddLine("trailing", seq, payload, value=value)
        return OddLine("glued", seq, payload)
    if payload.startswith(b'{"jsonrpc"'):
        return None
    value = decoded(payload)
    if foreign_tongue(value):
        return OddLine("foreign", seq, payload, value=value)
    return OddLine("noise", seq, payload, value=value) if looks_like_log(value) else None


def judge_line(frame: Frame, message: Unreadable) -> OddLine:
    """Judge a line that holds no message."""
    payload, seq = frame.payload, frame.seq
    bare = payload.strip()
    if not bare:
        return OddLine("blank", seq)
    if is_header(payload):
        return OddLine("header", seq, payload)
    if _is_wide(payload) or (message.reason.startswith("not UTF-8") and b'"' in payload):
        return OddLine("encoding", seq, payload)
    if bare[:1] not in b"{[":
        return OddLine("noise", seq, payload, value=decoded(payload))
    value = decoded(payload)
    if value is not None:
        return OddLine(_kind_of_value(value), seq, payload, value=value)
    if "surrogate" in message.reason:
        return OddLine("surrogate", seq, payload)
    value, end = _first_value(payload)
    if end:
        whole = isinstance(value, dict) and not _ENVELOPE_KEYS.isdisjoint(value)
        return OddLine("trailing" if whole else "noise", seq, payload, value=value)
    if message.reason.endswith("truncated"):
        torn = not frame.raw.endswith(b"\n")
        return OddLine("torn" if torn else "printed", seq, payload)
    meant = b"jsonrpc" in payload or b'"method"' in payload
    return OddLine("malformed" if meant else "noise", seq, payload)


def _kind_of_value(value: Any) -> str:
    if foreign_tongue(value):
        return "foreign"
    if isinstance(value, list):
        items = [item for item in value if isinstance(item, dict)]
        meant = any(not _ENVELOPE_KEYS.isdisjoint(item) for item in items)
        return "batch" if meant else "noise"
    return "envelope" if isinstance(value, dict) and "jsonrpc" in value else "noise"


def is_header(payload: bytes) -> bool:
    """Tell whether LSP's framing is at work; it puts the next header behind a message."""
    if len(payload) < 80 and _HEADER.match(payload):
        return True
    return _HEADER_BEHIND.search(payload[-60:]) is not None


def _is_wide(payload: bytes) -> bool:
    """Tell whether this is UTF-16 or UTF-32: every second byte of plain text is zero there."""
    return payload[:2] in (b"\xff\xfe", b"\xfe\xff") or payload[:80].count(0) * 3 > len(
        payload[:80]
    )


def _first_value(payload: bytes) -> tuple[Any, int]:
    """Return the JSON value that a line begins with, and where it ends; 0 if it has none."""
    try:
        text = payload.decode()
        return json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None, 0
