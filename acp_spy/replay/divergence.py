"""
Where a live peer diverged from the capture: what was expected, what came, the nearest recorded.

The texts here are for two readers. The live peer gets a JSON-RPC error that names what was
expected; the person gets the full explanation on stderr.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.replay.json_difference import ABSENT, Difference
from acp_spy.replay.line import CALLS, END, LONGEST, RESULT, UNREADABLE, Line, as_text, clip
from acp_spy.replay.script import Expect, Part
from acp_spy.wire.inert import inert
from acp_spy.wire.jsonrpc import Request, read_message

INTERNAL_ERROR = -32603

NEVER_RECORDED = "never recorded"
ALREADY_USED = "recorded, but already used"
TOO_EARLY = "recorded, but later"
DIFFERS = "differs from the recording"
MISSING = "missing"
TIMED_OUT = "nothing came"
NOT_ANSWERABLE = "cannot be answered"
OTHER_END = "the agent ended differently"
NO_MESSAGE = "the agent sent no message"

# For these no line has come that could be compared with what was expected.
_WITHOUT_A_LINE = (MISSING, TIMED_OUT, OTHER_END, NO_MESSAGE)
# These follow "was"; the others are verbs themselves.
_PARTICIPLES = (NEVER_RECORDED, ALREADY_USED, TOO_EARLY)

_MOST_SHOWN = 5


class Divergence(msgspec.Struct, frozen=True):
    """
    One place where live left the recording.

    `expected` are the parts that could have come, `got` is the line that did; `nearest` is the
    recorded frame that is most like it, and `differences` are where it is not. `stderr` is the
    last that an agent wrote which sent no message.
    """

    kind: str
    capture: str
    expected: tuple[Expect, ...] = ()
    got: Line | None = None
    nearest: Part | None = None
    differences: tuple[Difference, ...] = ()
    detail: str = ""
    stderr: str = ""

    @property
    def summary(self) -> str:
        """What happened, in one line without an end."""
        if self.kind == MISSING:
            return f"{_missed(self.expected)} did not come{self.detail}"
        if self.kind in _WITHOUT_A_LINE:
            return f"{self.kind}{self.detail}"
        what = self.got.words() if self.got else "the live peer"
        place = self.differences[0].path if self.kind == DIFFERS else ""
        where = f" at {clip(place)}" if place else ""
        was = "was " if self.kind in _PARTICIPLES else ""
        return f"{what} {was}{self.kind}{where}{self.detail}"


def _missed(expected: tuple[Expect, ...]) -> str:
    return expected[0].line.words() if len(expected) == 1 else f"{len(expected)} recorded messages"


class Note(msgspec.Struct, frozen=True):
    """
    Something that is worth reporting and does not count; mostly about a recorded line.

    `got` is the line that came for it, if `differences` has places in both.
    """

    recorded: Line | None
    words: str
    differences: tuple[Difference, ...] = ()
    hint: str = ""
    got: Line | None = None


def unended(part: bytes | memoryview) -> str:
    """Return a description of the bytes after the last line end; empty if there are none."""
    if not part:
        return ""
    begins = clip(as_text(bytes(part[: 4 * LONGEST])))  # a character takes four bytes at most
    have = "1 byte has" if len(part) == 1 else f"{len(part)} bytes have"
    return f"; {have} come without a line end: {begins}"


def error_answer(divergence: Divergence, request: Line) -> bytes:
    """Return the answer to a live request that says what was expected instead."""
    awaited = [part.line for part in divergence.expected if part.line.kind != END]
    if not awaited and divergence.kind == NOT_ANSWERABLE and divergence.nearest:
        awaited = [divergence.nearest.line]
    first = awaited[0] if awaited else None
    name = inert(divergence.capture)  # whose letters may not be UTF-8
    where = (
        f"expected {first.words()}, frame {first.seq} of {name}" if first else f"{name} has no more"
    )
    error = {
        "code": INTERNAL_ERROR,
        "message": f"acp-spy replay: {divergence.summary}; {where}",
        "data": {
            "expected": (first.method or first.kind) if first else None,
            "frame": first.seq if first else None,
            "capture": name,
        },
    }
    members: dict[str, Any] = {"id": msgspec.Raw(request.id), "error": error}
    if _has_jsonrpc(request):
        members = {"jsonrpc": "2.0", **members}
    return msgspec.json.encode(members) + b"\n"


def _has_jsonrpc(request: Line) -> bool:
    """Whether the peer sends `jsonrpc`; an old dialect does not."""
    return b'"jsonrpc"' in request.raw


def explain(divergence: Divergence, number: int) -> str:
    """Return the full explanation, as lines with their line ends."""
    return "".join(f"{inert(line)}\n" for line in explanation(divergence, number))


def explanation(divergence: Divergence, number: int) -> list[str]:
    """Return the full explanation, as lines."""
    lines = [f"divergence {number}: {divergence.summary}"]
    expected, more = divergence.expected[:_MOST_SHOWN], len(divergence.expected) - _MOST_SHOWN
    for index, part in enumerate(expected):
        lines.append(f"  {'expected' if not index else '':8}  {_recorded(part.line)}")
    if more > 0:
        lines.append(f"  {'':8}  and {more} more")
    if not expected and divergence.kind not in (*_WITHOUT_A_LINE, NOT_ANSWERABLE):
        lines.append(f"  {'expected':8}  nothing more")
    if divergence.got is not None:
        lines.append(f"  {'got':8}  {_live(divergence.got)}")
    if divergence.nearest is not None and divergence.nearest not in expected:
        lines.append(f"  {'nearest':8}  {_recorded(divergence.nearest.line)}")
    return [*lines, *(f"  {'':8}  {line}" for line in diff_lines(divergence.differences))]


def explain_note(note: Note) -> str:
    """Return a note as lines with their line ends."""
    return "".join(f"{inert(line)}\n" for line in explanation_of_note(note))


def explanation_of_note(note: Note) -> list[str]:
    """Return a note, as lines."""
    about = f"frame {note.recorded.seq}, {note.recorded.words()}, " if note.recorded else ""
    lines = [about + note.words, *(f"  {line}" for line in diff_lines(note.differences))]
    if note.hint:
        lines.append(f"  hint: {note.hint}")
    return lines


def diff_lines(found: Sequence[Difference]) -> Iterator[str]:
    """Give a small JSON diff: each place, what was recorded there, and what came."""
    for difference in found[:_MOST_SHOWN]:
        path = clip(difference.path) or "the whole"
        if difference.recorded is not ABSENT:
            value = _value(difference.recorded, difference.live)
            yield f"- {path}: {value}{_meaning(difference.recorded_means)}"
        if difference.live is not ABSENT:
            value = _value(difference.live, difference.recorded)
            yield f"+ {path}: {value}{_meaning(difference.live_means)}"
    if len(found) > _MOST_SHOWN:
        more = len(found) - _MOST_SHOWN
        yield f"  and {more} more place{'s' if more > 1 else ''}"


def _meaning(word: str) -> str:
    return f" ({clip(word)})" if word else ""


def _recorded(line: Line) -> str:
    if line.kind == END:
        return "the end of the stream"
    return f"frame {line.seq}: {_gist(line)}"


def _live(line: Line) -> str:
    return "the end of the stream" if line.kind == END else _gist(line)


def _gist(line: Line) -> str:
    if line.kind == UNREADABLE:
        return clip(as_text(line.raw))
    ident = f" (id {clip(line.id.decode(errors='replace'), 40)})" if line.id else ""
    if line.kind in CALLS:
        message = read_message(line.raw[line.begins :].strip())
        params = getattr(message, "params", b"").decode(errors="replace")
        called = f"{line.method}{ident if isinstance(message, Request) else ''}"
        return clip(f"{called} {params}" if params else called)
    asked = f" to {line.method}" if line.method else ""
    what = "response" if line.kind == RESULT else "error response"
    return clip(f"{what}{asked}{ident} {_json(line.body)}")


def _value(value: Any, other: Any) -> str:
    """Return a value short enough for a line; of two long texts, where they begin to differ."""
    if isinstance(value, str) and isinstance(other, str) and len(value) > LONGEST:
        same = _common(value, other)
        if same > LONGEST // 2:
            return clip(f"…{_json(value[same - 20 :])[1:-1]}")
    return clip(_json(value))


def _common(one: str, other: str) -> int:
    pairs: Iterable[tuple[str, str]] = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _json(value: Any) -> str:
    """Return a value as JSON, also one that JSON should not have."""
    try:
        return msgspec.json.encode(value).decode()
    except (RecursionError, OverflowError, UnicodeEncodeError):
        pass
    try:
        return json.dumps(value)
    except RecursionError:
        return "nested too deeply to be shown"
