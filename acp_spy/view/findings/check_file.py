"""
A capture file is checked: read once for findings, and again for the frames to show.

The first reading keeps only what was found, so that memory does not grow with the capture. The
second decodes only the few frames that are shown.
"""

import time
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from acp_spy.capture.delivered import Side, on_side
from acp_spy.capture.files import is_capture, read
from acp_spy.capture.folder import is_running
from acp_spy.capture.records import Header
from acp_spy.capture.scan import frames_in_lines
from acp_spy.diagnosis.changed_traffic import ChangedTraffic
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.dialect.known import AUTO, translated_dialect
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.rule import Rule, Severity
from acp_spy.lint.ruleset import Ruleset
from acp_spy.view.findings.excerpt import excerpt
from acp_spy.view.findings.report import Report
from acp_spy.view.pending import pending_so_far
from acp_spy.wire.frame import Frame, Peer

if TYPE_CHECKING:
    from acp_spy.secrets.redactor import Masked


def check_file(
    path: str,
    rules: Collection[Rule],
    *,
    spec: str = "auto",
    dialect: str = "auto",
    budgets: Budgets = Budgets(),  # noqa: B008 - it is frozen
    fail_on: Severity | None = Severity.ERROR,
    every: bool = False,
    masked: "Masked | None" = None,
    side: Side = "sent",
    name: str = "",
) -> Report:
    """
    Return what `rules` find in the capture at `path`; keep `every` place only on demand.

    What is quoted may hold secrets. If `masked` is given, placeholders are judged in their place,
    except by `budgets`: the names that a project expects are compared with what was sent, and then
    masked. So the verdict is the same in all formats.

    `side` says what is judged: what was sent, what was delivered, or what one peer sent and got. If
    acp-spy translated for that peer, it is judged by the dialect that the peer speaks. The
    diagnosis is that of the whole capture.

    The report calls it by `name`, or else by its path.

    While the recording runs, its end is not judged: what is pending may still be answered, and is
    in `pending`.
    """
    budgeted = None
    if masked and budgets.set_ones:
        own = [rule for rule in rules if rule.budgets.set_ones]
        budgeted = check_file(
            path, own, spec=spec, dialect=dialect, budgets=budgets, every=every, side=side
        )
        budgets = Budgets()
    running = is_running(path)
    everything = masked() if masked else read(path)
    ruleset = Ruleset(tuple(rules), spec, dialect, budgets)
    changed = None if side == "sent" else ChangedTraffic(ruleset.checker(), side)
    records = iter(on_side(side, changed.follow(everything) if changed else everything))
    first = next(records, None)
    header = first if isinstance(first, Header) else Header()
    if dialect == AUTO and side in ("client", "agent"):
        dialect = translated_dialect(Peer(side), header.note)
    checker = DiagnosingChecker(Ruleset(tuple(rules), spec, dialect, budgets).checker())
    report = Report(path, rules, fail_on, side, shown_path=name, note=header.note)
    frames, feed = 0, checker.feed
    for record in chain([first] if first else [], records):
        if type(record) is Frame:
            frames += 1
        if found := feed(record):
            report.add(changed.name(found) if changed else found, every=every)
    report.frames = frames
    if masked:
        report.masked_places = masked.count
        report.shown_path = masked.redactor.text(name or str(path))
    now = None
    if running:
        state = changed.state if changed else checker.tracker.state
        now = max(header.elapsed(time.time()) or 0.0, state.t)
        report.pending = tuple(pending_so_far(state, now)) or ("no request is pending",)
    else:
        found = checker.close()
        report.add(changed.name(found) if changed else found, every=every)
    if masked and budgeted:
        report.merge(budgeted, masked.redactor.text)
        (changed or checker).add_findings(mistake.first for mistake in budgeted.mistakes)
    report.diagnosis = (changed or checker).diagnosis(now)
    dialects = checker.tracker.state.dialects
    report.dialect = {peer.value: dialects.spoken_by(peer).name for peer in Peer}
    report.crashes = [*checker.crashes, *report.crashes]
    return report


def without_secrets(path: str) -> "Masked":
    """Return the capture at `path` with placeholders in place of its secrets."""
    from acp_spy.secrets.redactor import Masked  # most runs do not need it
    from acp_spy.view.capture_view import reader

    return Masked(reader(path))


def add_excerpts(
    report: Report, seqs: Iterable[int] | None = None, masked: "Masked | None" = None
) -> None:
    """
    Read the capture again for the frames that are worth showing.

    They are those that mistakes name, or those of the numbers `seqs`. `masked` is as above.
    """
    wanted: dict[int, set[str]] = {}
    places = report.shown_places() if seqs is None else ((seq, "") for seq in seqs)
    for seq, pointer in places:
        wanted.setdefault(seq, set()).add(pointer)
    if not wanted:
        return
    in_lines = is_capture(report.path) and report.side == "sent"
    frames = frames_in_lines(report.path, wanted) if in_lines else _frames(report, wanted)
    for number, sent in frames:
        frame = masked.frame(sent) if masked else sent
        if number:
            report.lines[frame.seq] = number
        for pointer in wanted.pop(frame.seq, ()):
            report.excerpts[frame.seq, pointer] = excerpt(frame, pointer)
        if not wanted:
            return


def _frames(report: Report, wanted: Container[int]) -> Iterator[tuple[int, Frame]]:
    """Give the frames of these numbers where they are not the lines of the file."""
    for record in on_side(report.side, read(report.path)):
        if isinstance(record, Frame) and record.seq in wanted:
            yield 0, record
