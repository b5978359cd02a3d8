"""Promises 9 and 12: whatever befalls the recording, the conversation goes on untouched."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from support.captures import live_findings, stream
from support.processes import (
    DEADLINE,
    ECHO,
    children,
    is_alive,
    is_asleep,
    python,
    unread,
    until,
)

from acp_spy import load
from acp_spy.cli.entry import run

LINES = b"".join(b'{"n":%d,"text":"%s"}\n' % (n, b"x" * 100) for n in range(2000))
# Answers with what it was asked, and with a status that must come through.
ECHO_THEN_7 = python(
    """
    import os
    while chunk := os.read(0, 65536):
        while chunk:
            chunk = chunk[os.write(1, chunk):]
    os._exit(7)
    """
)


def assert_untouched_with_one_line(peer, *words):
    out, err, status = peer.converse(LINES)
    assert out == LINES
    assert status == 7
    assert err.count(b"\n") == 1
    assert err.startswith(b"acp-spy: ")
    for word in words:
        assert word in err.decode()


def test_a_device_that_is_full_from_the_start(spy):
    peer = spy(ECHO_THEN_7, "-o", "/dev/full")
    assert_untouched_with_one_line(
        peer, "not recording: cannot write `/dev/full`: No space left on device"
    )


@pytest.fixture
def mounted(tmp_path):
    """Return a function that mounts a file system with options."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if os.geteuid() != 0 or subprocess.run(command, check=False).returncode:
            pytest.skip("mounting a file system needs root and permission to mount")
        return folder

    yield mount
    subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.fixture
def small_disk(mounted):
    return mounted("size=64k")


@pytest.fixture
def read_only_folder(tmp_path, mounted):
    """Return a folder that even root cannot write to, if we are root."""
    if os.geteuid() == 0:
        return mounted("ro")
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    return folder


def test_a_disk_that_becomes_full_in_the_middle(spy, small_disk):
    capture = small_disk / "run.jsonl"
    peer = spy(ECHO_THEN_7, "-o", str(capture))
    assert_untouched_with_one_line(
        peer, f"recording stopped: cannot write `{capture}`: No space left", "continues"
    )
    # What did fit is a valid capture of a run that was cut off.
    kept = stream(capture, "client")
    assert kept
    assert LINES.startswith(kept)
    assert load(capture).exit is None


def test_a_disk_that_is_full_from_the_start_gets_no_empty_file(spy, small_disk):
    (small_disk / "filler").write_bytes(bytes(64 * 1024))
    peer = spy(ECHO_THEN_7, "-o", f"{small_disk}/run.jsonl")
    assert_untouched_with_one_line(peer, "not recording", "No space left on device")
    assert not (small_disk / "run.jsonl").exists()


def test_a_limit_on_the_size_of_files(spy, tmp_path):
    import resource

    capture = tmp_path / "run.jsonl"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    peer = spy(ECHO_THEN_7, "-o", str(capture), preexec_fn=limit)
    assert_untouched_with_one_line(peer, "recording stopped", "File too large")
    assert capture.stat().st_size == 50_000
    assert LINES.startswith(stream(capture, "client"))


def test_a_folder_that_cannot_be_written_to(spy, tmp_path):
    """Root may write anywhere, so this is a folder that nobody can write to."""
    peer = spy(ECHO_THEN_7, "--dir", "/proc/self/captures")
    assert_untouched_with_one_line(peer, "not recording", "No such file or directory")


def test_a_read_only_folder(spy, read_only_folder):
    peer = spy(ECHO_THEN_7, "-o", f"{read_only_folder}/run.jsonl")
    assert_untouched_with_one_line(peer, "not recording: cannot write `")


def test_a_folder_of_a_home_that_is_not_known(spy):
    peer = spy(ECHO_THEN_7, "--dir", "~nobody-is-called-so/captures")
    assert_untouched_with_one_line(
        peer, "not recording: cannot use `~nobody-is-called-so/captures`: the home folder of"
    )


def test_a_folder_where_a_file_stands(spy, tmp_path):
    (tmp_path / "file").write_text("")
    peer = spy(ECHO_THEN_7, "-o", f"{tmp_path}/file/run.jsonl")
    assert_untouched_with_one_line(peer, "not recording")


def test_a_file_that_is_read_only_is_passed_over(spy, tmp_path):
    theirs = tmp_path / "run.jsonl"
    theirs.write_text("mine")
    theirs.chmod(0o400)
    peer = spy(ECHO_THEN_7, "-o", str(theirs))
    assert peer.converse(LINES) == (LINES, b"", 7)
    assert stream(tmp_path / "run-2.jsonl", "agent") == LINES
    assert theirs.read_text() == "mine"


def empty(capture):
    os.truncate(capture, 0)


def shorten(capture):
    os.truncate(capture, capture.stat().st_size - 20)


SPOILS = {
    "deleted": (os.unlink, "deleted"),
    "its folder removed": (lambda capture: shutil.rmtree(capture.parent), "deleted"),
    "emptied": (empty, "shortened"),
    "cut in a line": (shorten, "shortened"),
}


@pytest.mark.parametrize("options", [[], ["--no-check"]], ids=["judged", "unjudged"])
@pytest.mark.parametrize(("spoil", "output"), SPOILS.values(), ids=SPOILS.keys())
def test_a_capture_that_somebody_spoils_while_it_is_written(spy, tmp_path, spoil, output, options):
    capture = tmp_path / "folder" / "run.jsonl"
    peer = spy(ECHO_THEN_7, "-o", str(capture), *options)
    peer.send(b'{"n":0}\n')
    assert peer.read_line() == b'{"n":0}\n'
    spoil(capture)
    words = f"recording stopped: another program {output} `{capture}`; the conversation is not affected\n"
    assert_untouched_with_one_line(peer, words)


def test_an_open_file_without_a_name_is_recorded_to_until_the_end(spy, tmp_path):
    """It was not deleted meanwhile: when stderr ends, the capture is looked at."""
    with open(tmp_path / "run.jsonl", "w+b") as file:
        (tmp_path / "run.jsonl").unlink()
        given = f"/dev/fd/{file.fileno()}"
        closes = python("import os; os.close(2); print(input(), flush=True); input()")
        peer = spy(closes, "-v", "-o", given, pass_fds=[file.fileno()])
        peer.send(b"{}\n")
        assert peer.read_line() == b"{}\n"
        _, err, status = peer.converse(b"{}\n")
        capture = load(given)  # by its path, which opens the file again
        assert (len(capture.frames), capture.exit.status, status) == (3, 0, 0)
        assert live_findings(given)
        assert run(["check", given]) == 1
    assert f"run `acp-spy check {given}`\n" in err.decode()
    assert "stopped" not in err.decode()
    assert os.listdir(tmp_path) == []


def test_what_is_left_of_a_spoilt_capture_is_told_by_those_who_read_it(spy, tmp_path, capfd):
    gone, emptied, cut = (tmp_path / f"{name}.jsonl" for name in ("gone", "emptied", "cut"))
    for capture, spoil in ((gone, os.unlink), (emptied, empty), (cut, shorten)):
        peer = spy(ECHO, "--no-check", "-o", str(capture))
        peer.send(b"{}\n")
        assert peer.read_line() == b"{}\n"
        spoil(capture)
        peer.converse(b"{}\n")
    assert run(["list", "--dir", str(tmp_path), "--format", "json"]) == 0
    listed = json.loads(capfd.readouterr().out)["captures"]
    assert [(entry["path"], entry["state"]) for entry in listed] == [(str(cut), "cut off")]
    for capture, said in (
        (gone, f"cannot read `{gone}`: No such file or directory"),
        (emptied, f"cannot read `{emptied}`: it is neither a capture nor in another"),
        (cut, f"cannot read `{cut}`: line 3 is not a record: "),
    ):
        assert run(["check", str(capture)]) == 2
        assert capfd.readouterr().err.startswith(f"error: {said}")


def test_a_spoilt_capture_is_told_at_once_if_the_judge_stumbles_over_it(spy):
    peer = spy(ECHO)
    peer.send(b"{}\n")
    assert peer.read_line() == b"{}\n"
    until(lambda: b'"finding"' in peer.capture.read_bytes(), "the judge is at work")
    empty(peer.capture)
    peer.send(b"{}\n")
    assert peer.read_line() == b"{}\n"
    output = (
        f"acp-spy: recording stopped: another program shortened `{peer.capture}`; the conversation"
    )
    assert peer.read(len(output), peer.stderr).decode() == output
    assert peer.converse(LINES) == (LINES, b" is not affected\n", 0)


def test_what_becomes_of_the_capture_after_the_agents_end_is_told_as_well(spy):
    """Its stderr has ended by then, and ours would have; a slow reader of its stdout is waited for."""
    says_much = python("import os; os.write(1, b'x' * 133_999 + b'\\n')")  # two pipes, and some
    peer = spy(says_much, "--no-check")
    until(lambda: unread(peer.stdout) > 60_000, "the pipe to the client is full")
    until(lambda: not any(map(is_alive, children(peer.pid))), "the agent has ended")
    # An end wakes it up: it does not sleep before it has seen that of the agent's stderr, too.
    until(lambda: is_asleep(peer.pid), "the proxy has nothing to do but to wait")
    peer.capture.unlink()
    output = (
        f"acp-spy: recording stopped: another program deleted `{peer.capture}`; the conversation"
    )
    assert peer.converse() == (
        b"x" * 133_999 + b"\n",
        f"{output} is not affected\n".encode(),
        0,
    )


@pytest.mark.parametrize("options", [[], ["--no-check"]], ids=["judged", "unjudged"])
def test_a_capture_that_is_moved_goes_on_where_it_is(spy, tmp_path, options):
    peer = spy(ECHO_THEN_7, *options)
    peer.send(b"{}\n")
    assert peer.read_line() == b"{}\n"
    peer.capture.rename(tmp_path / "moved.jsonl")
    assert peer.converse(LINES) == (LINES, b"", 7)
    assert stream(tmp_path / "moved.jsonl", "agent") == b"{}\n" + LINES


def test_another_file_in_the_place_of_the_capture_is_not_checked_or_written_to(spy, tmp_path):
    """Whose folder it is could show findings of another conversation, or have us read for ever."""
    peer = spy(ECHO_THEN_7)
    peer.send(b"{}\n")
    assert peer.read_line() == b"{}\n"
    moved, forged = tmp_path / "moved.jsonl", b'{"type":"header","format":99}\n'
    peer.capture.rename(moved)
    peer.capture.write_bytes(forged)  # before the checker has loaded its rules
    peer.send(b"{}\n")
    assert peer.read_line() == b"{}\n"
    until(lambda: b'"finding"' in moved.read_bytes(), "what is recorded is checked")
    assert peer.converse(LINES) == (LINES, b"", 7)
    assert peer.capture.read_bytes() == forged


def with_a_bug(monkeypatch_code):
    """Return the proxy's command line, with a bug in acp-spy."""
    code = f"{monkeypatch_code}\nimport acp_spy.__main__ as m\nm.main()"
    return [sys.executable, "-c", code]


BUGS = {
    "recorder": "import acp_spy.capture.recorder as r\n"
    "def broken(*a): raise RuntimeError('a planted bug')\n"
    "r.Recorder.lines = broken",
    "codec": "import acp_spy.engine.tap as t\nt.encode_chunk = None",
    "import": "import sys\nsys.modules['msgspec'] = None",
    "naming": "import acp_spy.capture.locate as c\nc.header_for = None",
}


@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS.keys())
def test_a_bug_of_ours_while_recording_does_not_stop_the_traffic(bug, tmp_path):
    command = [*with_a_bug(bug), "-o", f"{tmp_path}/run.jsonl", "--", *ECHO_THEN_7]
    done = subprocess.run(command, input=LINES, capture_output=True, timeout=DEADLINE, check=False)
    assert done.stdout == LINES
    assert done.returncode == 7
    assert done.stderr.count(b"\n") == 1
    assert b"a bug in acp-spy, please report it" in done.stderr


def test_what_finds_secrets_may_be_missing_and_the_traffic_goes_on(tmp_path):
    bug = "import sys\nsys.modules['acp_spy.secrets.redactor'] = None"
    command = [*with_a_bug(bug), "--redact", "-o", f"{tmp_path}/run.jsonl", "--", *ECHO_THEN_7]
    done = subprocess.run(command, input=LINES, capture_output=True, timeout=DEADLINE, check=False)
    assert (done.stdout, done.returncode) == (LINES, 7)
    said = b"acp-spy: a message is left out: cannot find its secrets: ModuleNotFoundError\n"
    assert done.stderr == said
    assert not os.listdir(tmp_path)  # what cannot be redacted is not recorded


def test_a_bug_of_ours_in_the_loop_itself_puts_nothing_on_stdout(tmp_path):
    bug = "import acp_spy.engine.stream as p\np.Stream.put = None"
    command = [*with_a_bug(bug), "-o", f"{tmp_path}/run.jsonl", "--", *ECHO]
    (tmp_path / "in").write_bytes(LINES)
    with (tmp_path / "in").open("rb") as stdin:  # at once, or another loop would have the bug, too
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, timeout=DEADLINE, check=False
        )
    assert done.stdout == b""
    assert done.returncode == 70
    assert done.stderr.count(b"\n") == 1
