"""Read a capture once for everything that is compared: messages, findings, statistics."""

import os
import time
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from acp_spy.capture.delivered import delivered
from acp_spy.capture.files import records_of
from acp_spy.capture.folder import is_running
from acp_spy.capture.records import Capture, Header, Record, Stderr
from acp_spy.comparison.collect_items import ItemCollector
from acp_spy.comparison.item import Side
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Step
from acp_spy.diagnosis.changed_traffic import ChangedTraffic
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.view.findings.report import Report
from acp_spy.view.stats.collect import Collector
from acp_spy.view.stats.model import Stats
from acp_spy.view.timeline import Timeline

Part = Literal["", "sent", "delivered"]


class LoadedCapture(msgspec.Struct, frozen=True):
    """A capture, read for the diff."""

    path: str
    side: Side
    stats: Stats
    report: Report
    stderr_lines: int = 0
    crashes: tuple[Crash, ...] = ()


def load_for_diff(capture: Capture | str | os.PathLike[str], part: Part = "") -> LoadedCapture:
    """
    Read a capture, a path or what `load` gave; one that is being recorded as far as it is.

    `part` is what is taken of one whose traffic was changed on its way: what was sent, which is
    also meant if it is empty, or what was delivered. The findings are those of `check`.
    """
    name = "capture" if isinstance(capture, Capture) else os.fspath(capture)
    now = time.time() if is_running(capture) else None
    records, path = records_of(capture), f"{name} ({part})" if part else name
    if part != "delivered":
        return read_capture(path, records, now=now)
    changed = ChangedTraffic(ALL_RULES.checker())
    return read_capture(path, delivered(changed.follow(records)), now=now, name=changed.name)


def read_capture(
    path: str,
    records: Iterable[Record],
    *,
    now: float | None = None,
    name: Callable[[Iterable[Finding]], Iterable[Finding]] = lambda findings: findings,
) -> LoadedCapture:
    """
    Read the `records` of the capture at `path`.

    While it is being recorded, `now` is the time in seconds since the epoch. `name` gives the
    findings with who else than a peer made them.
    """
    timeline, stats, items = Timeline(), Collector(), ItemCollector()
    report = Report(path, ())
    stderr: list[int] = [0, 0]  # line ends, and whether a line is open
    for record in records:
        rows = timeline.feed(record)
        for row in rows:
            report.add(name([found for found in row.findings if found.because is None]))
        match moment := timeline.moment:
            case Header(cwd=cwd):
                items = ItemCollector(cwd)
            case Step():
                row = rows[0]
                seconds = row.duration if row.latency is None else row.latency
                items.add_frame(moment, row.what, row.gist, seconds)
            case Chunk():
                items.add_chunk(moment, rows[0].what)
            case Stderr(raw=raw) if raw:
                stderr = [stderr[0] + raw.count(b"\n"), int(raw[-1:] != b"\n")]
            case _:
                pass
        stats.add(timeline.moment, timeline.state)
    report.add(name(timeline.close(running=now is not None)))
    return LoadedCapture(
        path,
        items.close(),
        stats.close(now),
        report,
        sum(stderr),
        tuple(timeline.crashes),
    )
