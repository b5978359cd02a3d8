"""Repairs of lines: FRM."""

import json
import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.fixes.fix import Fix, Split
from acp_spy.lint.lines import BOM
from acp_spy.wire.framing import LONGEST_LINE
from acp_spy.wire.jsonrpc import Unreadable, read_message

# A string, to the end if nothing ends it, or blanks outside of one, all at once: from each place of
# a long run, to search on took the square of its length.
_STRING_OR_BLANKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|\s++', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_BEGINNING = re.compile(rb'\{\s*"(?:jsonrpc|id|method)"')
_MOST_BEGINNINGS = 64  # each may be read to the end of the line
_ENVELOPE = frozenset(("jsonrpc", "method", "result", "error"))


def _is(kind: str, step: Step, facts: Facts) -> bool:
    """Whether the line itself is of this kind; facts may be about lines before it, too."""
    return any(line.kind == kind and line.seq == step.frame.seq for line in facts.lines)


def _remove_mark(step: Step, facts: Facts) -> Split | None:
    if not _is("bom", step, facts):
        return None
    return Split((step.frame.raw.removeprefix(BOM),))


def _move_noise(step: Step, facts: Facts) -> Split | None:
    return Split(log=step.frame.raw) if _is("noise", step, facts) else None


def _move_blank(step: Step, facts: Facts) -> Split | None:
    return Split(log=step.frame.raw) if _is("blank", step, facts) else None


def _separate_front(step: Step, facts: Facts) -> Split | None:
    return _separated(step.frame.payload) if _is("glued", step, facts) else None


def _separate_rest(step: Step, facts: Facts) -> Split | None:
    return _separated(step.frame.payload) if _is("trailing", step, facts) else None


def _join(_step: Step, facts: Facts) -> Split | None:
    for line in facts.lines:
        if line.kind == "printed" and (joined := on_one_line(line.payload)):
            return Split((joined,))
    return None


def _end_with_line_feed(step: Step, _facts: Facts) -> Split | None:
    raw = step.frame.raw
    if raw[-2:] != b"\r\n" or isinstance(step.message, Unreadable):
        return None
    return Split((raw[:-2] + b"\n",))


def _terminate(step: Step, _facts: Facts) -> Split | None:
    raw = step.frame.raw
    is_message = not isinstance(step.message, Unreadable)
    if raw.endswith(b"\n") or len(raw) >= LONGEST_LINE or not is_message:
        return None
    return Split((raw.removesuffix(b"\r") + b"\n",))


def on_one_line(text: bytes) -> bytes:
    """Return JSON that is printed over several lines as one line; nothing if it cannot be."""
    joined = _STRING_OR_BLANKS.sub(_without_break, text.removeprefix(BOM)).strip()
    is_message = not isinstance(read_message(joined), Unreadable)
    return joined + b"\n" if is_message or _is_json(joined) else b""


def _without_break(found: re.Match[bytes]) -> bytes:
    """Return nothing for blanks with a line break; one in a string is escaped."""
    if found[0].isspace():
        return b"" if b"\n" in found[0] else found[0]
    return _CONTROL.sub(lambda control: json.dumps(control[0].decode())[1:-1].encode(), found[0])


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _separated(payload: bytes) -> Split | None:
    """Return the messages on a line, each on its own, and what is between them as log."""
    lines: list[bytes] = []
    log: list[bytes] = []
    after = 0
    for start, end in _messages_in(payload):
        lines.append(payload[start:end] + b"\n")
        log.append(payload[after:start].strip())
        after = end
    log.append(payload[after:].strip())
    return Split(tuple(lines), b"".join(text + b"\n" for text in log if text)) if lines else None


def _messages_in(payload: bytes) -> Iterator[tuple[int, int]]:
    """Give where messages are on a line, in their order."""
    text = payload.decode("latin-1")  # a character for each byte: places are those of the bytes
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_MOST_BEGINNINGS):
        found = _BEGINNING.search(payload, at)
        if found is None:
            return
        at = found.start() + 1
        try:
            value, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        is_message = not isinstance(read_message(payload[found.start() : end]), Unreadable)
        if is_message and not _ENVELOPE.isdisjoint(value):
            yield found.start(), end
            at = end


FIXES = (
    Fix("FRM016", "Empty lines are moved to stderr.", _move_blank),
    Fix("FRM004", "The line is moved to stderr.", _move_noise),
    Fix("FRM002", "The byte order mark is removed.", _remove_mark),
    Fix("FRM005", "The data before the message is moved to stderr.", _separate_front),
    Fix(
        "FRM006",
        "Each message that can be read gets its own line; other data is moved to stderr.",
        _separate_rest,
        always=False,
    ),
    Fix("FRM007", "The message is written on one line.", _join),
    Fix("FRM009", "The line ends with a line feed only.", _end_with_line_feed),
    Fix(
        "FRM011",
        "If the message is complete, the line feed is added.",
        _terminate,
        always=False,
    ),
)
