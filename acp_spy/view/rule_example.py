"""
The example of a rule as it is shown: only the lines that matter, and the finding under its line.

How a conversation begins is the same in most examples, and so is how it ends: each is folded into
one line. So is what the good example has in common with the bad one.
"""

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

import msgspec

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Finding, Rule
from acp_spy.lint.ruleset import check
from acp_spy.units import counted
from acp_spy.view.findings.excerpt import excerpt
from acp_spy.wire.frame import Frame, Peer

FOUND = ">>"  # before the line that a finding is about
FOLDED = "..."
_FRAMES = ("->", "<-", "~>", "<~")
_OPENING = ("initialize", "session/new")
_REMOTE = "the conversation begins as usual"
_RUN = re.compile(r"(.)\1{99,}")  # of one character: only its length matters

# What the marks in an example mean, in the order of a legend.
MARKS = {
    "->": "client to agent",
    "<-": "agent to client",
    "~>": "bytes from the client, with Python escapes",
    "<~": "bytes from the agent, with Python escapes",
    "!!": "a line on stderr",
    "[…]": "over HTTP or WebSocket: the stream, connection and session",
    "<>": "an HTTP exchange: its status, and what is not as in the line above",
    "EOF": "end of stream",
    "@": "time in seconds",
    "==": "the agent's exit status",
    FOUND: "what the finding is about",
}


class ExampleLine(msgspec.Struct):
    """
    A line to show: its mark, then the place that it is about, what is before it, and after it.

    `matters` says that it should be readable to its end; a fold is several lines in one.
    """

    mark: str
    before: str
    place: str = ""
    after: str = ""
    matters: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def text(self) -> str:
        """What follows the mark, in one piece."""
        return self.before + self.place + self.after


def findings_of_bad(rule: Rule) -> list[Finding]:
    """Return what the rule finds in its own bad example."""
    return check(parse(rule.bad), [rule], dialect=rule.dialect, budgets=rule.budgets)


def bad_example(rule: Rule) -> list[ExampleLine]:
    """Return the lines of the bad example, with what is found in them."""
    lines, other = _lines(rule.bad), _lines(rule.good)
    seqs, findings = _seqs(lines), findings_of_bad(rule)
    seen = {found.see for found in findings if found.see}
    kept = {index for index, seq in enumerate(seqs) if seq in seen}
    shown = _compared(lines, other)
    for found in findings:
        at = len(lines) - 1 if _is_about_the_end(rule, found, seqs) else seqs.index(found.seq)
        shown[at] = _with_finding(shown[at], found)
        kept.add(at)
    is_remote = any(line.startswith("<>") for line in lines)
    start = _common_opening(lines, kept, other) if is_remote else _opening(lines, kept, other)
    end = _usual_end(lines, max(kept, default=-1) + 1, other)
    return [
        *_fold(lines[:start], _REMOTE if is_remote else " and ".join(_OPENING[: start // 2])),
        *shown[start:end],
        *_fold(lines[end:], "the turn ends as usual"),
    ]


def good_example(rule: Rule) -> list[ExampleLine]:
    """Return the lines of the good example; what is as in the bad one is folded, but for one."""
    lines, other = _lines(rule.good), _lines(rule.bad)
    shown = _compared(lines, other)
    changed = [index for index, line in enumerate(shown) if line.matters]
    context = 1  # lines that are shown before one that has changed
    if not changed:  # something is left out: what was around it is shown
        first = _common(lines, other)
        changed, context = list(range(max(first - 1, 0), min(first + 1, len(lines)))), 0
    made: list[ExampleLine] = []
    done = 0
    for index in changed:
        around = max(index - context, done)
        made += _fold(lines[done:around], "as above") if around - done > 1 else shown[done:around]
        made += shown[around : index + 1]
        done = index + 1
    rest = len(lines) - done
    return made + (_fold(lines[done:], "as above") if rest > 1 else shown[done:])


def legend(lines: Sequence[ExampleLine]) -> list[tuple[str, str]]:
    """Return the marks in `lines`, with what they mean."""
    used = {line.mark for line in lines}
    used |= {FOUND for line in lines if line.findings}
    used |= {"[…]" for line in lines if line.text.startswith("[")}
    used |= {"EOF" for line in lines if line.text == "EOF"}
    used |= {"->", "<-"}  # they belong together, and are needed for what is folded
    return [(mark, meaning) for mark, meaning in MARKS.items() if mark in used]


def _split(line: str) -> tuple[str, str]:
    """Return the mark of a line, and what follows it."""
    if line[2:3] == "[":  # ->[post c1]
        return line[:2], line[2:]
    mark, _, text = line.partition(" ")
    return mark, text


def _lines(transcript: str) -> list[str]:
    return [line for line in transcript.split("\n") if line]


def _seqs(lines: list[str]) -> list[int]:
    """Return the number of the frame in each line; 0 where there is none."""
    seqs: list[int] = []
    for line in lines:
        is_frame = line.startswith(_FRAMES) and not line.endswith(" EOF")
        seqs.append(max(seqs, default=0) + 1 if is_frame else 0)
    return seqs


def _opening(lines: list[str], kept: set[int], other: list[str]) -> int:
    """Return how many lines are the usual opening: pairs of a request and its response."""
    for start, method in zip((0, 2), _OPENING, strict=True):
        asked, answered = (_message(line) for line in (*lines[start : start + 2], "", "")[:2])
        if (
            kept & {start, start + 1}
            or asked.get("method") != method
            or answered.get("id") != asked.get("id")
            or not set(lines[start : start + 2]) <= set(other)
            or not (method == "initialize" or set(_result(answered)) == {"sessionId"})
        ):
            return start
    return len(_OPENING) * 2


def _common_opening(lines: list[str], kept: set[int], other: list[str]) -> int:
    """Return how many lines of a remote conversation are as in `other`, if worth a fold."""
    start = min(_common(lines, other), *kept) if kept else 0
    return start if start > 2 else 0


def _usual_end(lines: list[str], start: int, other: list[str]) -> int:
    """Return where the usual end begins; at the end of `lines`, if it is not worth a fold."""
    common = min(_common(lines[::-1], other[::-1]), len(lines) - start)
    end = len(lines)
    while end > len(lines) - common and _is_usual(lines[end - 1]):
        end -= 1
    has_frames = any(_message(line) for line in lines[end:])
    return end if has_frames and len(lines) - end > 1 else len(lines)


def _is_usual(line: str) -> bool:
    if line in ("-> EOF", "<- EOF", "== 0"):
        return True
    message = _message(line)
    update = message.get("params", {}).get("update", {}) if "params" in message else {}
    if update.get("sessionUpdate") == "state_update":
        return update.get("state") == "idle"
    is_text = update.get("sessionUpdate") in ("agent_message_chunk", "agent_message")
    return is_text or _result(message).get("stopReason") == "end_turn"


def _fold(lines: list[str], words: str) -> list[ExampleLine]:
    if not lines:
        return []
    frames = sum(map(bool, _seqs(lines)))
    count = counted(frames, "frame") if frames == len(lines) else counted(len(lines), "line")
    return [ExampleLine(FOLDED, f"{words} ({count})")]


def _is_about_the_end(rule: Rule, found: Finding, seqs: list[int]) -> bool:
    """Tell whether a finding names the last frame only because nothing came after it."""
    return not found.seq or (set(rule.on) <= {"closed", "end"} and found.seq == max(seqs))


def _with_finding(line: ExampleLine, found: Finding) -> ExampleLine:
    """Return a line with a finding, and the place that it is about."""
    one = ExampleLine(line.mark, line.text, matters=True, findings=(*line.findings, found))
    place = excerpt(Frame(0, 0.0, Peer.CLIENT, line.text.encode()), found.path)
    if place.place and line.text.startswith(place.before + place.place):
        one.before, one.place = place.before, place.place
        one.after = line.text[len(one.before + one.place) :]
    return one


def _compared(lines: list[str], other: list[str]) -> list[ExampleLine]:
    """Return `lines`; those that `other` does not have matter, and what is new in them."""
    shown: list[ExampleLine] = []
    steps = SequenceMatcher(None, other, lines, autojunk=False).get_opcodes()
    for kind, start, end, first, last in steps:
        for index, line in enumerate(lines[first:last]):
            mark, text = _split(line)
            text = _RUN.sub(lambda run: f"{run[1] * 3}… ({len(run[0]):,} in all)", text)
            if kind == "equal":
                shown.append(ExampleLine(mark, text))
            else:
                before = other[start + index] if start + index < end else ""
                shown.append(_changed(mark, text, _split(before)[1]))
    return shown


def _changed(mark: str, text: str, other: str) -> ExampleLine:
    start = _common(text, other)
    if start <= 1:
        return ExampleLine(mark, text, matters=True)
    stop = len(text) - _common(text[start:][::-1], other[start:][::-1])
    return ExampleLine(mark, text[:start], text[start:stop], text[stop:], matters=True)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items at the beginning are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _message(line: str) -> dict[str, Any]:
    """Return the message that a line shows; empty if it shows none."""
    try:
        message = json.loads(line[3:]) if line.startswith(("-> {", "<- {")) else None
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _result(message: dict[str, Any]) -> dict[str, Any]:
    result = message.get("result")
    return result if isinstance(result, dict) else {}
