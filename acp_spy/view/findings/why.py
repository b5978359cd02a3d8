"""The one answer about a capture: for people as text, for programs as JSON."""

import re
from collections.abc import Iterator
from shlex import quote
from typing import Any

from acp_spy.view.diagnosis_text import diagnosis_style
from acp_spy.view.findings.full import INDENT, excerpt_lines, wrapped_lines
from acp_spy.view.findings.report import Report
from acp_spy.view.json_output import to_json
from acp_spy.view.layout import Layout
from acp_spy.view.style import paint
from acp_spy.wire.inert import inert

_COMMAND = re.compile(
    r"`(acp-spy (?:(?:check|stats|why|live|redact)(?: --dialect [a-z0-9-]+)?"
    r"|hold (release) [0-9]+))`"
)


def as_text(report: Report, layout: Layout) -> Iterator[str]:
    """Give the lines: the kind and who must act, what is wrong, the frames, and a hint."""
    found, width = report.diagnosis, layout.width
    assert found is not None
    style = diagnosis_style(found)
    text, hint = (inert(of_capture(each, report.name)) for each in (found.text, found.hint))
    lines = [
        *wrapped_lines([(style, found.words), ("dim", f"  {found.must_fix}".rstrip())], width),
        *wrapped_lines([("", text)], width, indent=INDENT),
    ]
    if report.note:
        lines += wrapped_lines([("dim", f"note: {inert(report.note)}")], width, indent=INDENT)
    if found.seq:
        numbers = ", ".join(map(str, found.seq))
        word = "frame" if len(found.seq) == 1 else "frames"
        lines += wrapped_lines([("dim", f"see {word} {numbers}")], width, indent=INDENT)
    for seq in found.seq:
        if excerpt := report.excerpts.get((seq, "")):
            lines += excerpt_lines(seq, excerpt, width)
    if hint:
        lines += wrapped_lines([("", f"hint: {hint}")], width, indent=INDENT)
    for pieces in lines:
        yield paint(pieces, colour=layout.colour)


def of_capture(text: str, path: str) -> str:
    """Return a text in which commands that read a capture name this one: they can be pasted."""
    if path.startswith("/dev/"):  # what came on stdin cannot be read again
        return text

    def named(command: re.Match[str]) -> str:
        return f"`{command[1]}{' --capture' if command[2] else ''} {quote(path)}`"

    return _COMMAND.sub(named, text)


def as_json(report: Report) -> str:
    """Return what programs read."""
    return to_json(document(report))


def document(report: Report) -> dict[str, Any]:
    """Return the same as a JSON value."""
    assert report.diagnosis is not None
    return {
        "path": report.name,
        "frames": report.frames,
        "running": bool(report.pending),
        "note": report.note,
        "diagnosis": report.diagnosis.as_json(),
    }
