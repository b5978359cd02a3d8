"""A mock client and its agent, without a process: how a play ends, and what it gives back."""

import os
import signal

import pytest
from support.fake_agent import FakeAgent, open_descriptors
from support.replays import script_of

from acp_spy.engine.no_tap import NoTap
from acp_spy.engine.ready import FOR_EVER
from acp_spy.live_replay import drive
from acp_spy.live_replay.stage import Reporting
from acp_spy.live_replay.verdict import Verdict
from acp_spy.replay.divergence import MISSING, NO_MESSAGE
from acp_spy.replay.options import Options
from acp_spy.replay.player import Player
from acp_spy.wire.frame import Peer

ONE_ANSWER = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
"""


class Play:
    """A mock client that plays `ONE_ANSWER` with a fake agent."""

    def __init__(self, options=None):
        self.agent = FakeAgent()
        self.player = Player(script_of(ONE_ANSWER, Peer.CLIENT), options)
        self.reporting = Reporting(lambda _: None, lambda _: None, Verdict("", "client", ""))

    @property
    def divergences(self):
        return [each.kind for each in self.player.divergences]

    def run(self):
        return drive.run_client(self.player, self.agent, self.reporting)


@pytest.fixture
def play():
    return Play()


def test_an_agent_that_closes_its_stdout_and_then_exits_did_exit(play):
    """Its exit is not waited for by blocking: here it comes only after the end was handled."""
    stage = drive._ClientStage(play.player, play.agent, play.reporting, NoTap())
    stage.begin()
    play.agent.close("writes")
    assert stage.carrier.turn(FOR_EVER)
    os.write(play.agent.logs, b"no such model\n")
    play.agent.exit(closing=["logs", "reads"])
    while not stage.ended.is_set():
        stage.carrier.turn(FOR_EVER)
    stage.do_due()
    assert play.divergences == [NO_MESSAGE]
    assert "no such model" in play.player.divergences[0].stderr
    stage.end_agent()
    stage.close()


def test_an_agent_that_closes_its_stdout_and_runs_on_is_not_waited_for(play, monkeypatch):
    monkeypatch.setattr(drive, "LAST_GRACE", 0)
    stage = drive._ClientStage(play.player, play.agent, play.reporting, NoTap())
    stage.begin()
    play.agent.close("writes")
    assert stage.carrier.turn(FOR_EVER)
    stage.do_due()
    assert play.divergences == [MISSING]
    play.agent.exit(closing=["logs", "reads"])
    stage.end_agent()
    stage.close()


def test_an_agent_that_falls_silent_in_the_middle_of_a_line_is_told_what_it_sent():
    play = Play(Options(timeout=0.001))
    stage = drive._ClientStage(play.player, play.agent, play.reporting, NoTap())
    stage.begin()
    os.write(play.agent.writes, b'{"id":0')
    assert stage.carrier.turn(FOR_EVER)
    while not play.divergences:
        stage.do_due()
    (found,) = play.player.divergences
    assert found.summary == (
        'nothing came for 0.001 s; 7 bytes have come without a line end: {"id":0'
    )
    play.agent.exit()
    stage.end_agent()
    stage.close()


@pytest.mark.parametrize(
    "answer", [b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n', b""]
)
def test_everything_is_given_back_at_the_end(answer):
    before = open_descriptors()
    play = Play()
    os.write(play.agent.writes, answer)
    play.agent.exit(closing=["writes", "logs"])
    assert play.run() == (0 if answer else 1)
    play.agent.close("reads")
    assert not open_descriptors() - before


def test_no_agent_is_left_behind_by_a_bug_of_ours(monkeypatch):
    before = open_descriptors()
    play = Play()
    monkeypatch.setattr(Player, "begin", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        play.run()
    assert play.agent.signals == [signal.SIGKILL]
    play.agent.exit()
    assert not open_descriptors() - before
