"""
What must hold for every capture, hand-made, recorded, or somebody's own.

`pytest tests/test_captures.py --captures DIR` runs these over the captures in DIR as well.
"""

import io
import subprocess
import sys

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console
from support.effort import some_of
from support.rows import rows
from support.rules import checker

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.files import load, read
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.view.findings import full
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.view.layout import Layout
from acp_spy.view.stats import text as stats_text
from acp_spy.view.stats.collect import collect
from acp_spy.view.stats.model import Stats
from acp_spy.view.terminal import Terminal, show
from acp_spy.view.timeline import Timeline, late_findings

RULES = tuple(CATALOGUE.values())


@pytest.mark.parametrize("folder", some_of(["empty", "missing"], "empty"))
def test_a_folder_without_captures_is_refused(folder, tmp_path):
    """Else a slip of the pen would look like captures that are all in order."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "run.findings.jsonl").touch()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", __file__, "--collect-only", "--captures", folder],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"ERROR: --captures: no capture (*.jsonl) in `{folder}`\n" in done.stderr
    assert done.returncode == pytest.ExitCode.USAGE_ERROR


def test_it_comes_back_as_it_was(capture):
    for record in read(capture):
        assert decode(encode([record])) == record


def test_reading_it_whole_and_piece_by_piece_is_the_same(capture):
    whole = load(capture)
    header, *records = read(capture)
    assert (whole.header, whole.records) == (header, tuple(records))


def test_it_can_be_judged_without_a_rule_that_raises(capture):
    linter = checker(RULES)
    for record in read(capture):
        linter.feed(record)
    linter.close()
    assert linter.crashes == []


def test_judging_it_twice_finds_the_same(capture):
    first, second = (check_file(str(capture), RULES, every=True) for _ in range(2))
    assert first.mistakes == second.mistakes


def test_chunks_that_are_read_in_one_go_change_no_finding(capture):
    quick, slow = checker(RULES), checker(RULES)
    slow.tracker = Tracker(only_steps=True)
    for record in read(capture):
        assert quick.feed(record) == slow.feed(record)
    assert quick.close() == slow.close()


def test_every_finding_points_into_the_capture(capture):
    frames = {frame.seq for frame in load(capture).frames}
    linter = checker(RULES)
    found = [finding for record in read(capture) for finding in linter.feed(record)]
    for finding in [*found, *linter.close()]:
        assert finding.seq in frames or (not frames and finding.seq == 0)
        assert finding.see is None or finding.see in frames
        assert msgspec.json.decode(msgspec.json.encode(finding))["code"] in CATALOGUE


@pytest.mark.parametrize("width", [40, 80, 200])
def test_it_can_be_shown_at_any_width(capture, width):
    for fold in (True, False):
        shown = list(show(rows(read(capture)), Terminal(width), fold=fold))
        assert max(map(cell_len, shown), default=0) <= width
        assert all(line.isprintable() for line in shown)


def test_its_findings_can_be_shown(capture):
    report = check_file(str(capture), RULES)
    add_excerpts(report)
    shown = "".join(full.render([report], Layout(80)))
    assert "\x1b" not in shown
    assert all(mistake.first.code in shown for mistake in report.mistakes)


def test_early_or_late_every_finding_is_shown_once(capture):
    records = load(capture).records
    linter = ALL_RULES.checker()
    judged = [finding for record in records for finding in linter.feed(record)] + linter.close()
    for late in (None, late_findings(records)):
        timeline = Timeline(late=late)
        rows_of_it = [row for record in records for row in timeline.feed(record)]
        shown = [finding for row in rows_of_it for finding in row.findings] + timeline.close()
        assert sorted(shown, key=msgspec.json.encode) == sorted(judged, key=msgspec.json.encode)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_its_figures_can_be_told_at_any_width(capture, width):
    stats = collect(read(capture))
    out = io.StringIO()
    stats_text.render(
        "run.jsonl", "ended", stats, Console(file=out, width=width, color_system=None)
    )
    lines = out.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(line.isprintable() for line in lines)
    assert stats.frames == len(load(capture).frames)
    assert stats.frames == sum(sender.frames for sender in stats.senders.values())
    assert msgspec.json.decode(msgspec.json.encode(stats), type=Stats) == stats
