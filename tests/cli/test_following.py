import shutil
from pathlib import Path

import pytest

from acp_spy.capture.transcript import parse
from acp_spy.cli import following
from acp_spy.cli.following import follow, owed
from acp_spy.conversation.tracker import Tracker
from acp_spy.view.filters import wants
from acp_spy.wire.frame import Frame

EXAMPLE = Path(__file__).parents[2] / "fixtures" / "example.jsonl"


def test_it_sleeps_when_nothing_comes_and_ctrl_c_ends_it(tmp_path, monkeypatch, capsys):
    capture = tmp_path / "run.jsonl"
    shutil.copy(EXAMPLE, capture)
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(following.time, "sleep", sleep)
    assert follow(str(capture), wants(["kind:request"]), fold=True) == 130
    assert slept == [0.05] * 3
    shown = capsys.readouterr().out
    assert shown.count("session/prompt") == 1
    assert "the capture has ended (the agent has exited); Ctrl-C to leave" in shown


@pytest.mark.parametrize(
    ("transcript", "told"),
    [
        ("", ""),
        (
            '-> {"id":1,"method":"session/prompt","params":{}}',
            "agent owes `session/prompt` 12.4 s",
        ),
        (
            '-> {"id":1,"method":"a"}\n<- {"id":1,"method":"b"}\n-> {"id":1,"result":{}}',
            "agent owes `a` 12.4 s",
        ),
        (
            '-> {"id":1,"method":"a"}\n@ 10\n<- {"id":1,"method":"b"}\n<- {"id":2,"method":"c"}\n<- {"id":3,"method":"d"}',
            "agent owes `a` 12.4 s, client owes `b` 2.4 s, client owes `c` 2.4 s, 1 more",
        ),
    ],
)
def test_who_owes_whom_an_answer_and_for_how_long(transcript, told):
    tracker = Tracker()
    for record in parse(transcript):
        assert isinstance(record, Frame)
        tracker.advance(tracker.look(record))
    assert owed(tracker.state, 12.401) == told
