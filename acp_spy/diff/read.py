"""Read a capture once for everything that is compared: messages, findings, statistics."""

from collections.abc import Iterable

import msgspec

from acp_spy.capture.records import Header, Record, Stderr
from acp_spy.diff.collect_items import ItemCollector
from acp_spy.diff.item import Side
from acp_spy.lint.engine import Crash
from acp_spy.view.findings.report import Report
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.model import Stats
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame


class LoadedCapture(msgspec.Struct, frozen=True):
    """A capture, read for the diff."""

    path: str
    side: Side
    stats: Stats
    report: Report
    stderr_lines: int = 0
    crashes: tuple[Crash, ...] = ()


def read_capture(path: str, records: Iterable[Record]) -> LoadedCapture:
    """Read the `records` of the capture at `path`."""
    timeline, stats, items = Timeline(), Collector(), ItemCollector()
    report = Report(path, ())
    stderr: list[int] = [0, 0]  # line ends, and whether a line is open
    for record in records:
        rows = timeline.feed(record)
        for row in rows:
            report.add(row.findings)
        step = chunk = None
        match record:
            case Header(cwd=cwd):
                items = ItemCollector(cwd)
            case Frame():
                step, chunk = timeline.linter.step, timeline.linter.chunk
                if step is not None:
                    chunk = None
                    items.add_frame(step, rows[0].what, rows[0].gist)
                elif chunk is not None:
                    items.add_chunk(record, chunk, rows[0].what)
            case Stderr(raw=raw) if raw:
                stderr = [stderr[0] + raw.count(b"\n"), int(raw[-1:] != b"\n")]
            case _:
                pass
        stats.take(record, timeline.state, step, chunk)
    report.add(timeline.close())
    return LoadedCapture(
        path,
        items.close(),
        stats.close(),
        report,
        sum(stderr),
        tuple(timeline.linter.crashes),
    )
