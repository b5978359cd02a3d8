"""A capture as text: what it is, its rows, and what it comes to."""

from collections.abc import Iterator

from acp_spy.units import counted, span
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.folding import folded
from acp_spy.view.pending import pending_so_far
from acp_spy.view.terminal import Terminal
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert


def render(view: CaptureView) -> Iterator[str]:
    """Give the lines that show what is wanted of a capture, with their ends."""
    for line in _raw_lines(view) if view.layout.raw else _lines(view):
        yield f"{line}\n"


def _lines(view: CaptureView) -> Iterator[str]:
    layout = view.layout
    terminal = Terminal(layout.width, colour=layout.colour, sessions=view.sessions)
    head = view.diagnosis
    yield from terminal.head(view.path, view.header, head)
    for item in folded(view.rows()) if layout.fold else view.rows():
        yield from terminal.lines(item)
    yield from terminal.findings(view.late())
    yield ""
    if head is None and view.diagnosis:  # a large capture was not read before it was shown
        yield from terminal.diagnosis(view.diagnosis)
    yield from terminal.foot(_summary(view))
    if view.running:
        for line in pending_so_far(view.timeline.state, _so_far(view)):
            yield from terminal.foot(line)


def _summary(view: CaptureView) -> str:
    """Return what the capture comes to, in a sentence, and how much is shown of it."""
    frames = counted(view.frames, "frame")
    before, joint = frames, " in "
    if view.filters:
        before, joint = f"{view.frames_shown:,} of {frames} shown; whole capture", ": "
    levels = [
        counted(view.counts[level], level)
        for level in ("error", "warning", "note")
        if view.counts.get(level)
    ]
    found = ", ".join(levels) or "nothing found"
    if failed := len({crash.code for crash in view.crashes}):
        found += f"; {counted(failed, 'rule')} crashed (a bug in acp-spy): findings may be missing"
    if view.running:
        took = f"{span(_so_far(view))} so far"
        return f"{before}{joint}{took}; {found}; recording still runs (-f follows it)"
    # Other tools do not write down when the agent ends, and some of them no times either.
    imported = view.header.is_imported
    if imported and not view.t:
        return f"{before}{': ' if view.filters else '; '}{found}"
    end = "" if view.ended or imported else "; cut off: the agent's exit was not recorded"
    return f"{before}{joint}{span(view.t)}; {found}{end}"


def _so_far(view: CaptureView) -> float:
    """Return how long the recording has been running, on the capture's clock."""
    return max(view.now or 0.0, view.t)


def _raw_lines(view: CaptureView) -> Iterator[str]:
    """Give a line for each row, with what was sent as it was sent."""
    for row in view.rows():
        sender = row.sender.value if row.sender else ""
        seq = "" if row.seq is None else row.seq
        sent = (
            row.record.payload.decode(errors="backslashreplace")
            if isinstance(row.record, Frame)
            else f"{row.what} {row.gist}"
        )
        yield f"{seq:>4} {row.t:>7.3f} {sender:<6} {inert(sent)}".rstrip()
