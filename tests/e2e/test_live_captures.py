"""
Findings live and offline are equal: every capture is played again through a real proxy.

`pytest tests/e2e/test_live_captures.py --captures DIR` plays those in DIR, too.
"""

from support.captures import live_findings, offline_findings
from support.plays import Play
from support.processes import is_alive, judge_of, until

from acp_spy import load

USUAL = ("claude", "dialect-crow", "odd-bytes", "with-findings")


def test_what_is_found_live_is_what_is_found_offline(spy, capture):
    play = Play(spy)
    judge = judge_of(play.peer)
    play.play(load(capture).records)
    play.end()
    until(lambda: not is_alive(judge), "the judge has gone")
    made = play.peer.capture
    assert live_findings(made) == offline_findings(made)
    assert load(made).exit is not None
