import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Delivery, Header
from acp_spy.capture.transcript import parse
from acp_spy.cli import capture_input, following
from acp_spy.cli.following import follow
from acp_spy.conversation.tracker import Tracker
from acp_spy.view.filters import row_filter
from acp_spy.view.pending import pending_at_end, pending_so_far
from acp_spy.wire.frame import Frame, Peer

PROMPT = '-> {"jsonrpc":"2.0","id":"s-1","method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}\n'
PERMISSION = '@ 10\n<- {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c"},"options":[]}}\n'
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
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert follow(str(capture), "", row_filter(["kind:request"]), fold=True) == 130
    assert slept == [0.05] * 3
    shown = capsys.readouterr().out
    assert shown.count("session/prompt") == 1
    assert "the capture ended (the agent exited); press Ctrl-C to quit" in shown


def test_in_a_pipe_the_end_of_the_capture_is_its_end(capsys):
    assert follow(str(EXAMPLE), "", row_filter(["kind:exit"]), fold=True) == 0
    shown, said = capsys.readouterr()
    row, why, *_, last = shown.splitlines()[3:]
    assert row == "       4.002              agent exited  status 0"
    assert why.startswith("protocol errors: The agent broke the protocol in frame 2 (FRM004)")
    assert last == "the capture ended (the agent exited)"
    assert said == ""


def test_what_comes_after_the_exit_is_shown_and_the_end_is_told_once(tmp_path, monkeypatch, capsys):
    capture = tmp_path / "run.jsonl"
    unanswered = '-> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'
    capture.write_bytes(encode([Header(), *parse(f"{unanswered}\n== 0")]))
    naps = 0

    def sleep(_):
        nonlocal naps
        naps += 1
        if naps == 1:
            with capture.open("ab") as file:
                file.write(encode(parse("!! a child of the agent is still there")))
        if naps == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(following.time, "sleep", sleep)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert follow(str(capture), "", row_filter([]), fold=True) == 130
    shown = capsys.readouterr().out
    assert shown.count("a child of the agent is still there") == 1
    assert shown.count("the capture ended (the agent exited)") == 1
    assert shown.count("RPC022") == 1


def test_a_capture_that_seemed_to_be_cut_off_may_still_come_to_its_end(
    tmp_path, monkeypatch, capsys
):
    capture = tmp_path / "run.jsonl"
    capture.write_bytes(encode([Header(), *parse("!! hello")]))
    naps = 0

    def sleep(_):
        nonlocal naps
        naps += 1
        if naps == 2:
            with capture.open("ab") as file:
                file.write(encode(parse("== 0")))
        if naps == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(following, "_SILENCE", 0.0)
    monkeypatch.setattr(following.time, "sleep", sleep)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert follow(str(capture), "", row_filter(["kind:stderr"]), fold=True) == 130
    output = [line for line in capsys.readouterr().out.splitlines() if "capture ended" in line]
    assert len(output) == 2
    assert "the capture ended (cut off: the agent's exit was not recorded)" in output[0]
    assert "the capture ended (the agent exited)" in output[1]


def test_a_capture_that_nobody_wrote_when_we_came_is_cut_off_at_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(PROMPT + PERMISSION)]))
    monkeypatch.setattr(following, "_SILENCE", float("inf"))
    assert follow(str(tmp_path / "run.jsonl"), "", row_filter([]), fold=True) == 0
    output = capsys.readouterr().out.splitlines()[-1]
    assert output == "the capture ended (cut off: the agent's exit was not recorded)"


def test_a_link_to_a_capture_that_nobody_writes_is_cut_off_as_well(tmp_path, capsys):
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse("!! hello")]))
    link = tmp_path / "link.jsonl"
    link.symlink_to("run.jsonl")
    assert follow(str(link), "", row_filter([]), fold=True) == 0
    output = capsys.readouterr().out.splitlines()[-1]
    assert output == "the capture ended (cut off: the agent's exit was not recorded)"


@pytest.mark.parametrize("puts_there", [lambda _: None, os.mkfifo, lambda at: at.symlink_to("x")])
def test_a_capture_that_is_deleted_while_it_is_recorded_ends(
    puts_there, tmp_path, monkeypatch, capsys
):
    """What records it stops then, whatever is at its path by now."""
    running = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    running.append(parse("!! hello"))
    path = Path(running.path)

    def sleep(_):
        if path.is_file():
            path.unlink()
            puts_there(path)

    monkeypatch.setattr(following, "_SILENCE", 0.0)
    monkeypatch.setattr(following.time, "sleep", sleep)
    assert follow(str(path), "", row_filter([]), fold=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "the capture ended (it was deleted)"


def test_a_capture_that_was_moved_ends_when_nobody_writes_it(tmp_path, monkeypatch, capsys):
    """As after `mv`, and SIGKILL of what records it."""
    running = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    running.append(parse("!! hello"))
    naps = []

    def sleep(_):
        naps.append(1)
        if len(naps) == 1:
            os.rename(running.path, tmp_path / "moved.jsonl")
            running.append(parse("!! more"))
        if len(naps) == 4:
            running.close()

    monkeypatch.setattr(following, "_SILENCE", 0.0)
    monkeypatch.setattr(following.time, "sleep", sleep)
    assert follow(running.path, "", row_filter([]), fold=True) == 0
    shown = capsys.readouterr().out
    assert "more" in shown
    assert shown.splitlines()[-1].startswith("the capture ended (cut off")
    assert len(naps) == 4


def test_a_capture_that_never_had_a_name_is_not_deleted(tmp_path, monkeypatch, capsys):
    path = tmp_path / "run.jsonl"
    with open(path, "w+b") as file:
        path.unlink()
        file.write(encode([Header(), *parse("!! hello")]))
        file.flush()

        def sleep(_):
            file.write(encode(parse("== 0")))
            file.flush()

        monkeypatch.setattr(following, "_SILENCE", 0.0)
        monkeypatch.setattr(following.time, "sleep", sleep)
        monkeypatch.setattr(following, "look_at", lambda _: None)  # nobody holds it
        assert follow(f"/dev/fd/{file.fileno()}", "", row_filter([]), fold=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "the capture ended (the agent exited)"


def test_a_line_of_megabytes_is_not_the_end(tmp_path, capsys):
    huge = '{"jsonrpc":"2.0","method":"x","params":"' + "a" * 3_000_000 + '"}'
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse(f"<- {huge}\n== 0")]))
    assert follow(str(path), "", row_filter([]), fold=True) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "the capture ended (the agent exited)"


def test_without_a_name_it_is_one_that_runs_and_not_the_newest(tmp_path, capfd):
    running = CaptureFile(str(tmp_path / "running.jsonl"), Header(started="2026-01-05T09:30:00Z"))
    newer = encode([Header(started="2026-01-06T09:30:00Z"), *parse("== 0")])
    (tmp_path / "newer.jsonl").write_bytes(newer)
    running.append(parse("!! hello\n== 0"))
    assert follow("", str(tmp_path), row_filter([]), fold=True) == 0
    running.close()
    assert capfd.readouterr().out.startswith(f"{running.path}\n")


def test_when_none_runs_it_waits_for_the_next_to_begin(tmp_path, monkeypatch, capfd):
    shutil.copy(EXAMPLE, tmp_path / "old.jsonl")
    (tmp_path / "page.html").write_text("not a capture")
    begun = tmp_path / "begun.jsonl"
    naps = []

    def sleep(seconds):
        naps.append(seconds)
        if len(naps) == 2:
            begun.touch()  # its header is not there yet
        if len(naps) == 4:
            begun.write_bytes(encode([Header(), *parse("== 0")]))

    monkeypatch.setattr(capture_input.time, "sleep", sleep)
    assert follow("", str(tmp_path), row_filter([]), fold=True) == 0
    shown, said = capfd.readouterr()
    assert len(naps) == 4
    assert shown.startswith(f"{begun}\n")
    assert said == f"waiting for a recording in {tmp_path}; press Ctrl-C to stop\n"


def test_ctrl_c_ends_the_waiting_too(tmp_path, monkeypatch, capfd):
    def sleep(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(capture_input.time, "sleep", sleep)
    nowhere = tmp_path / "not" / "there"
    assert follow("", str(nowhere), row_filter([]), fold=True) == 130
    assert capfd.readouterr() == (
        "",
        f"waiting for a recording in {nowhere}; press Ctrl-C to stop\n",
    )
    assert not nowhere.exists()


@pytest.mark.parametrize(
    ("transcript", "output"),
    [
        ("", []),
        (
            '-> {"id":1,"method":"session/prompt","params":{}}',
            ["waiting for agent: `session/prompt` 12.4 s"],
        ),
        (
            '-> {"id":1,"method":"a"}\n<- {"id":1,"method":"b"}\n-> {"id":1,"result":{}}',
            ["waiting for agent: `a` 12.4 s"],
        ),
        (
            '-> {"id":1,"method":"a"}\n@ 10\n<- {"id":1,"method":"b"}\n<- {"id":2,"method":"c"}\n<- {"id":3,"method":"d"}',
            [
                "waiting for agent: `a` 12.4 s",
                "waiting for client: `b` 2.4 s",
                "waiting for client: `c` 2.4 s",
                "and 1 more",
            ],
        ),
        (
            PROMPT.replace("s-1", "s-2") + PROMPT + PERMISSION,
            [
                "waiting for client: `session/request_permission` 2.4 s; agent's `session/prompt` waits for it",
                "waiting for agent: `session/prompt` 12.4 s",
            ],
        ),
    ],
)
def test_what_blocks_comes_first_with_the_time_so_far(transcript, output):
    tracker = Tracker()
    for record in parse(transcript):
        assert isinstance(record, Frame)
        tracker.follow(record)
    assert pending_so_far(tracker.state, 12.401) == output


def test_a_request_that_acp_spy_holds_does_not_wait_for_a_peer():
    tracker = Tracker()
    for record in parse(PROMPT + PERMISSION):
        tracker.follow(record)
    seq = record.seq
    tracker.follow(Delivery(seq, 10.0, Peer.CLIENT, "intercept", "held"))
    held = "held by intercept: `session/request_permission` 2.4 s; agent's `session/prompt` waits for it"
    assert pending_so_far(tracker.state, 12.401) == [held]
    tracker.follow(Delivery(seq, 11.0, Peer.CLIENT, "intercept", "delayed"))
    (line,) = pending_so_far(tracker.state, 12.401)
    assert line.startswith("waiting for client: ")


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_what_blocks_is_never_cut_off_and_after_the_exit_its_time_is_the_whole(
    width, tmp_path, monkeypatch, capsys
):
    """The exit is 25.4 s after the request, and the last frame long before."""
    monkeypatch.setenv("COLUMNS", width)
    capture = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    capture.append(parse(PROMPT + PERMISSION))
    naps = 0

    def sleep(_):
        nonlocal naps
        naps += 1
        if naps == 1:
            capture.append(parse("@ 35.4\n-> EOF\n== 0"))
        if naps == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(following.time, "sleep", sleep)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert follow(capture.path, "", row_filter([]), fold=True) == 130
    capture.close()
    drawn = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", capsys.readouterr().out)
    assert all(len(line) <= max(int(width), 40) for line in drawn.splitlines()[1:])
    words = " ".join(drawn.split())
    assert (
        "waiting for client: `session/request_permission` 0.0 s; agent's `session/prompt` waits for it"
        in words
    )
    assert (
        "never answered by client: `session/request_permission` (25.4 s); agent's `session/prompt` waited for it"
        in words
    )
    assert (
        "`session/request_permission` was never answered (client must fix" in words or width == "40"
    )
    assert words.count("waiting for client") == 1
    assert "`session/prompt` was never answered" not in words


def test_of_a_capture_that_was_cut_off_nobody_knows_how_long_the_wait_was():
    tracker = Tracker()
    for record in parse(PROMPT + PERMISSION):
        tracker.follow(record)
    assert pending_at_end(tracker.state, None) == [
        "never answered by client: `session/request_permission`; agent's `session/prompt` waited for it"
    ]
