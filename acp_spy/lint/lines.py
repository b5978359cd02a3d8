"""
What a line is whose spelling is odd: one answer for each, so that one rule speaks of it.

A reader keeps what it needs of the lines before: JSON that is printed over several lines is one
mistake, and so is a banner. Each rule has a reader of its own in its memory, and all of them come
to the same answers.
"""

import json
from typing import Any

import msgspec

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.line_kinds import OddLine, judge_line, judge_message
from acp_spy.lint.oddity import is_odd
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Unreadable

MOST_LINES = 5_000
MOST_BYTES = 1024 * 1024
LONGEST_PAUSE = 1.0


class _Held(msgspec.Struct):
    """Lines that may be one message together."""

    seq: int
    t: float
    lines: list[bytes]
    size: int


class Reader:
    """Show it the steps that are odd, in their order."""

    def __init__(self) -> None:
        self._held: dict[Peer, _Held] = {}
        self._last: dict[Peer, tuple[int, str]] = {}

    def read(self, step: Step | Ending) -> list[OddLine]:
        """Return what is known now: about this line, or about some before it."""
        if isinstance(step, Ending):
            return [_given_up(held, sender) for sender, held in self._held.items()]
        frame = step.frame
        if not isinstance(step.message, Unreadable):
            odd = judge_message(step)
            return self._noted(frame, odd) if odd else []
        odd_lines: list[OddLine] = []
        if held := self._held.get(frame.sender):
            whole = _continue(held, frame)
            if whole is _NOT_YET:
                return []
            del self._held[frame.sender]
            if whole is not _NEVER:
                text = b"\n".join(held.lines)
                return [OddLine("printed", held.seq, text, frame.sender, whole)]
            odd_lines.append(_given_up(held, frame.sender))
        odd = judge_line(frame, step.message)
        if odd.kind == "printed":
            self._held[frame.sender] = _Held(frame.seq, frame.t, [frame.payload], len(frame.raw))
            return odd_lines
        return odd_lines + self._noted(frame, odd)

    def _noted(self, frame: Frame, odd: OddLine) -> list[OddLine]:
        before = self._last.get(frame.sender)
        self._last[frame.sender] = frame.seq, odd.kind
        goes_on = before == (frame.seq - 1, odd.kind)
        return [msgspec.structs.replace(odd, sender=frame.sender, goes_on=goes_on)]


def read_line(step: Step | Ending, memory: dict[Any, Any]) -> list[OddLine]:
    """Return what the reader finds that lives in a rule's memory."""
    if isinstance(step, Step) and not is_odd(step):
        return []
    reader: Reader | None = memory.get("reader")
    if reader is None:
        reader = memory["reader"] = Reader()
    return reader.read(step)


_NOT_YET = object()
_NEVER = object()


def _continue(held: _Held, frame: Frame) -> Any:
    """Take one line more; return the value that all of them spell, if they do."""
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


def _given_up(held: _Held, sender: Peer) -> OddLine:
    first = held.lines[0]
    meant = any(b'"jsonrpc"' in line for line in held.lines[:20])
    return OddLine("malformed" if meant else "noise", held.seq, first, sender)
