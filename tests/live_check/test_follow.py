"""The checker's work, without its process."""

import signal
from contextlib import closing

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import Follower
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.linter import Checker
from acp_spy.live_check.follow import LiveLinter


class Written:
    """Keeps what is written."""

    def __init__(self):
        self.findings = []

    def write(self, findings):
        self.findings += findings


def test_what_was_found_before_a_bug_of_ours_is_written(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    path.write_bytes(encode([Header(), *parse("<- noise\n<- more noise\n")]))
    feed = Checker.feed

    def raises_at_the_second_frame(self, record):
        if getattr(record, "seq", 0) == 2:
            raise RuntimeError("a planted bug")
        return feed(self, record)

    written = Written()
    monkeypatch.setattr(Checker, "feed", raises_at_the_second_frame)
    with (
        closing(Follower(path)) as follower,
        pytest.raises(RuntimeError, match="a planted bug"),
    ):
        LiveLinter(follower, written).lint_new()
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)  # else it ends the tests later
    (finding,) = written.findings
    assert b'"code":"FRM004"' in finding
