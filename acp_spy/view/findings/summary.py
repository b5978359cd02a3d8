"""What the findings come to, in words."""

from collections.abc import Sequence

from acp_spy.view.findings.report import LEVELS, Report
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert


def summarize(report: Report) -> list[str]:
    """Return a line for all, and one for each severity: how many, and who must fix them."""
    mistakes = report.mistakes
    frames = _count(report.frames, "frame")
    if not mistakes:
        named = "" if report.diagnosis else f"{inert(report.name)}: "  # it begins with the path
        return [f"{named}{frames}, no findings"]
    following = sum(mistake.following for mistake in mistakes)
    verb = "follows" if following == 1 else "follow"
    more = f", and {following} that {verb} from {'it' if len(mistakes) == 1 else 'them'}"
    lines = [f"{frames}, {_count(len(mistakes), 'finding')}{more if following else ''}"]
    for level in LEVELS:
        these = [mistake for mistake in mistakes if mistake.first.severity is level]
        if not these:
            continue
        places = sum(mistake.count for mistake in these)
        spread = f" in {places} places" if places > len(these) else ""
        blamed = [
            f"{peer.value} must fix {count}"
            for peer in Peer
            if (count := sum(m.first.blame is peer and not m.first.by for m in these))
        ]
        if count := sum(bool(mistake.first.by) for mistake in these):
            blamed.append(f"acp-spy did {count}")
        lines.append(f"{_count(len(these), level.value)}{spread}: {', '.join(blamed)}")
    return lines


def summarize_all(reports: Sequence[Report]) -> str:
    """Return what several captures come to together."""
    frames = sum(report.frames for report in reports)
    counts = {
        level: sum(m.first.severity is level for report in reports for m in report.mistakes)
        for level in LEVELS
    }
    parts = [_count(count, level.value) for level, count in counts.items() if count]
    head = f"{_count(len(reports), 'capture')}, {_count(frames, 'frame')}"
    return f"{head}: {', '.join(parts) or 'no findings'}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
