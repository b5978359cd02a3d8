"""The captures of a folder, followed while they are recorded."""

from datetime import datetime

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.view.captures.live import LiveCaptures
from acp_spy.view.captures.summary import PeerName, State

START = "2026-01-05T09:30:00Z"
NOW = datetime.fromisoformat(START).timestamp() + 90
HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": {"name": "ed", "version": "2"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "bot", "version": "1.0"}}}
"""
ASKED = HANDSHAKE + '-> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}}'


@pytest.fixture
def live(tmp_path):
    live = LiveCaptures(str(tmp_path))
    yield live
    live.close()


def look(live, now=NOW):
    live.refresh()
    while live.advance():
        pass
    return live.listed(now)


def test_a_running_capture_is_first_with_what_it_waits_for_and_for_how_long(tmp_path, live):
    (tmp_path / "newer.jsonl").write_bytes(
        encode([Header(started="2026-02-01T00:00:00Z"), *parse(HANDSHAKE + "== 0")])
    )
    capture = CaptureFile(str(tmp_path / "run.jsonl"), Header(started=START, command=("bot",)))
    capture.append(parse(ASKED))
    first, second = look(live)
    assert (first.is_running, second.is_running) == (True, False)
    assert first.summary.diagnosis.kind == "session-pending"
    assert [(each.method, round(each.seconds)) for each in first.pending] == [("session/new", 90)]
    assert first.waiting == ("waiting for agent: `session/new` 1 m 30 s",)
    assert (first.summary.agent, first.summary.frames) == (PeerName("bot", "1.0"), 3)
    answered = ASKED + '\n<- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}'
    capture.append(parse(answered)[-1:])
    assert look(live)[0].pending == ()
    capture.append(parse("== 0"))
    capture.close()
    ended = {each.summary.name: each for each in look(live)}["run.jsonl"]
    assert (ended.summary.state, ended.summary.status) == (State.ENDED, 0)


def test_a_capture_that_hangs_does_not_wait_for_a_busy_one(tmp_path, live):
    hanging = CaptureFile(str(tmp_path / "hanging.jsonl"), Header(started=START))
    hanging.append(parse(ASKED))
    busy = CaptureFile(str(tmp_path / "busy.jsonl"), Header(started="2026-02-01T00:00:00Z"))
    busy.append(parse(ASKED + f'\n<- {{"jsonrpc": "2.0", "method": "_x/{"x" * 100}"}}' * 5_000))
    live.refresh()
    for _ in range(2):  # the second sees that it is at the end
        assert live.advance()
    first, second = live.listed(NOW)
    assert (first.summary.name, first.is_read) == ("busy.jsonl", False)
    assert (second.summary.name, second.is_read) == ("hanging.jsonl", True)
    assert second.waiting == ("waiting for agent: `session/new` 1 m 30 s",)
    hanging.close()
    busy.close()


def test_a_new_capture_appears_and_a_removed_one_goes(tmp_path, live):
    assert look(live) == []
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(started=START), *parse(ASKED)]))
    (only,) = look(live)
    assert only.summary.state is State.CUT_OFF
    assert only.waiting == ("never answered by agent: `session/new`",)
    (tmp_path / "notes.txt").write_text("mine")
    assert len(look(live)) == 1
    path.unlink()
    assert look(live) == []


def test_a_list_is_there_before_anything_is_read(tmp_path, live):
    (tmp_path / "run.jsonl").write_bytes(encode([Header(started=START), *parse(ASKED)]))
    live.refresh()
    (only,) = live.listed(NOW)
    assert (only.is_read, only.summary.diagnosis) == (False, None)


def test_a_damaged_capture_is_listed_without_a_diagnosis(tmp_path, live):
    damaged = encode([Header(started=START)]) + b"no record\n" + encode(parse("== 0"))
    (tmp_path / "run.jsonl").write_bytes(damaged)
    (only,) = look(live)
    assert (only.summary.name, only.summary.diagnosis) == ("run.jsonl", None)


def test_recorded_findings_are_counted(tmp_path, live):
    finding = b'{"type":"finding","code":"FRM004","name":"noise","severity":"error","seq":1,"text":"a","hint":"","blame":"agent","path":""}\n'
    (tmp_path / "run.jsonl").write_bytes(encode([Header(started=START), *parse(ASKED)]) + finding)
    assert look(live)[0].summary.findings == {"error": 1}


def test_what_has_not_changed_is_not_made_again(tmp_path, live):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(started=START), *parse(HANDSHAKE)]))
    (before,) = look(live)
    assert look(live)[0] is before
    path.write_bytes(encode([Header(started=START), *parse(ASKED)]))
    assert look(live)[0].summary.frames == 3
