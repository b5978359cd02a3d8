"""The verdict on a play, as it is written and read; the plugin's tests have it from real mocks."""

import os
import signal
import stat

import pytest
from support.processes import pause

from acp_spy import AcpSpyError
from acp_spy.live_replay.verdict import Verdict, has_something_else, is_running, read


def test_a_play_is_told_line_by_line(tmp_path):
    path = str(tmp_path / "verdict.jsonl")
    with Verdict(path, "agent", "run.jsonl") as verdict:
        verdict.diverge("divergence 1: \x1b[31mred", "  expected")
        verdict.complete()
        verdict.complete()
        assert verdict.end(3) == 3
    pid = os.getpid()
    assert read(path) == [
        {"type": "start", "pid": pid, "role": "agent", "capture": "run.jsonl"},
        {"type": "divergence", "pid": pid, "text": "divergence 1: \\x1b[31mred\n  expected"},
        {"type": "complete", "pid": pid},
        {"type": "end", "pid": pid, "status": 3},
    ]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_what_keeps_a_mock_from_playing_is_told_and_goes_on_up(tmp_path):
    path = tmp_path / "verdict.jsonl"
    with pytest.raises(AcpSpyError), Verdict(str(path), "client", "run.jsonl"):
        raise AcpSpyError("no such matcher", hint="params")
    assert [line.get("text") for line in read(path)] == [None, "no such matcher\nhint: params"]


def test_a_mock_that_crashes_was_not_killed(tmp_path):
    path = tmp_path / "verdict.jsonl"
    with pytest.raises(ZeroDivisionError), Verdict(str(path), "client", "run.jsonl"):
        raise ZeroDivisionError("\x1b[31m")
    (_, error) = read(path)
    assert error["type"] == "error"
    assert error["text"].startswith(
        r"a bug in acp-spy, please report it: ZeroDivisionError('\x1b[31m') at test_a_mock"
    )


def test_one_that_is_interrupted_has_not_crashed(tmp_path):
    path = tmp_path / "verdict.jsonl"
    with pytest.raises(KeyboardInterrupt), Verdict(str(path), "client", "run.jsonl"):
        raise KeyboardInterrupt
    assert [line["type"] for line in read(path)] == ["start"]


def test_several_mocks_share_a_file_and_one_that_lives_is_seen(tmp_path):
    path = tmp_path / "verdict.jsonl"
    assert (read(path), is_running(path)) == ([], False)
    with Verdict(str(path), "agent", "a"):
        with Verdict(str(path), "agent", "b"):
            assert is_running(path)
        assert is_running(path)
    assert not is_running(path)
    assert [line["capture"] for line in read(path)] == ["a", "b"]


def test_one_that_was_killed_does_not_live_even_if_nobody_has_buried_it(tmp_path):
    path = tmp_path / "verdict.jsonl"
    ready, told = os.pipe()
    pid = os.fork()
    if not pid:
        Verdict(str(path), "agent", "a")
        os.write(told, b"!")
        while True:
            pause(60)
    os.read(ready, 1)
    assert is_running(path)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(path)
    os.waitpid(pid, 0)
    os.close(ready)
    os.close(told)
    assert [line["type"] for line in read(path)] == ["start"]


def test_a_line_that_is_being_written_is_not_read_yet(tmp_path):
    path = tmp_path / "verdict.jsonl"
    path.write_text('{"type":"start","pid":1}\n{"type":"e')
    assert read(path) == [{"type": "start", "pid": 1}]


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Verdict("", "agent", "run.jsonl") as verdict:
        verdict.complete()
        assert verdict.end(0) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    path = f"{tmp_path}/none/verdict.jsonl"
    with pytest.raises(AcpSpyError) as caught:
        Verdict(path, "agent", "run.jsonl")
    assert caught.value.message == (f"cannot write the verdict `{path}`: No such file or directory")
    assert caught.value.hint == "use a file in a folder that exists"


def test_a_verdict_is_added_to_what_a_verdict_has_begun(tmp_path):
    path = str(tmp_path / "verdict.jsonl")
    assert not has_something_else(path)
    for _ in range(2):
        with Verdict(path, "agent", "run.jsonl"):
            pass
        assert not has_something_else(path)
    assert has_something_else(__file__)


def test_the_error_of_a_play_that_is_shared_has_no_secrets(tmp_path):
    path = tmp_path / "verdict"
    url = "postgres://alice:k7Jm2x9Qpw5tLz8@db-primary.internal.example.com:5432/shop"
    for is_shared in (True, False):
        with pytest.raises(AcpSpyError), Verdict(str(path), "agent", "a", is_shared=is_shared):
            raise AcpSpyError("line 1 is ", quote=f"DATABASE_URL={url}")
        assert ("k7Jm" in path.read_text()) is not is_shared
        path.unlink()
