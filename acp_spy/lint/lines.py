"""
What a line is whose spelling is odd: one verdict for each, so that one rule speaks of it.

A reader keeps what it needs of the lines before: JSON that is printed over several lines is one
mistake, and so is a banner. Each rule has a reader of its own in its memory, and all of them come
to the same verdicts.
"""

import json
from typing import Any

import msgspec

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.line_kinds import Verdict, judge_line, judge_message
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

    def read(self, step: Step | Ending) -> list[Verdict]:
        """Return what is known now: about this line, or about some before it."""
        if isinstance(step, Ending):
            return [_given_up(held, sender) for sender, held in self._held.items()]
        frame = step.frame
        if not isinstance(step.message, Unreadable):
            verdict = judge_message(step)
            return self._noted(frame, verdict) if verdict else []
        verdicts: list[Verdict] = []
        if held := self._held.get(frame.sender):
            whole = _continue(held, frame)
            if whole is _NOT_YET:
                return []
            del self._held[frame.sender]
            if whole is not _NEVER:
                text = b"\n".join(held.lines)
                return [Verdict("printed", held.seq, text, frame.sender, whole)]
            verdicts.append(_given_up(held, frame.sender))
        verdict = judge_line(frame, step.message)
        if verdict.kind == "printed":
            self._held[frame.sender] = _Held(frame.seq, frame.t, [frame.payload], len(frame.raw))
            return verdicts
        return verdicts + self._noted(frame, verdict)

    def _noted(self, frame: Frame, verdict: Verdict) -> list[Verdict]:
        before = self._last.get(frame.sender)
        self._last[frame.sender] = frame.seq, verdict.kind
        goes_on = before == (frame.seq - 1, verdict.kind)
        return [msgspec.structs.replace(verdict, sender=frame.sender, goes_on=goes_on)]


def read_line(step: Step | Ending, memory: dict[Any, Any]) -> list[Verdict]:
    """Return the verdicts of the reader that lives in a rule's memory."""
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


def _given_up(held: _Held, sender: Peer) -> Verdict:
    first = held.lines[0]
    meant = any(b'"jsonrpc"' in line for line in held.lines[:20])
    return Verdict("malformed" if meant else "noise", held.seq, first, sender)
