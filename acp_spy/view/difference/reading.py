"""A capture read once, for all that is compared: what was said, what is wrong, how long it took."""

from collections.abc import Iterable

import msgspec

from acp_spy.capture.records import Header, Record, Stderr
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Step
from acp_spy.lint.linter import Crash
from acp_spy.replay.compare.gather import Gatherer
from acp_spy.replay.compare.item import Side
from acp_spy.view.findings.report import Report
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.model import Stats
from acp_spy.view.timeline import Timeline


class Told(msgspec.Struct, frozen=True):
    """What a capture tells."""

    path: str
    side: Side
    stats: Stats
    report: Report
    stderr_lines: int = 0
    crashes: tuple[Crash, ...] = ()


def read_capture(path: str, records: Iterable[Record]) -> Told:
    """Return what the capture at `path` tells, whose records these are."""
    timeline, collector = Timeline(), Collector()
    gatherer = Gatherer()
    report = Report(path, ())
    stderr: list[int] = [0, 0]  # line ends, and whether a line is open
    for record in records:
        rows = timeline.feed(record)
        for row in rows:
            report.add(row.findings)
        match moment := timeline.moment:
            case Header(cwd=cwd):
                gatherer = Gatherer(cwd)
            case Step():
                gatherer.take(moment, rows[0].what, rows[0].gist)
            case Chunk():
                gatherer.take_chunk(moment, rows[0].what)
            case Stderr(raw=raw) if raw:
                stderr = [stderr[0] + raw.count(b"\n"), int(raw[-1:] != b"\n")]
            case _:
                pass
        collector.add(timeline.moment, timeline.state)
    report.add(timeline.close())
    return Told(
        path,
        gatherer.close(),
        collector.close(),
        report,
        sum(stderr),
        tuple(timeline.crashes),
    )
