"""Promises 9 and 12: whatever befalls the recording, the conversation goes on untouched."""

import os
import subprocess
import sys

import pytest
from support.captures import stream
from support.processes import DEADLINE, ECHO, python

from acp_spy import load

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
        peer, "nothing is recorded: `/dev/full` cannot be written: No space left on device"
    )


@pytest.fixture
def mounted(tmp_path):
    """Return a function that mounts a file system with options."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if os.geteuid() != 0 or subprocess.run(command, check=False).returncode:
            pytest.skip("mounting a file system needs root and leave to mount")
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
        peer, f"recording ends: `{capture}` cannot be written: No space left", "goes on"
    )
    # What did fit is a valid capture of a run that was cut off.
    kept = stream(capture, "client")
    assert kept
    assert LINES.startswith(kept)
    assert load(capture).exit is None


def test_a_disk_that_is_full_from_the_start_gets_no_empty_file(spy, small_disk):
    (small_disk / "filler").write_bytes(bytes(64 * 1024))
    peer = spy(ECHO_THEN_7, "-o", f"{small_disk}/run.jsonl")
    assert_untouched_with_one_line(peer, "nothing is recorded", "No space left on device")
    assert not (small_disk / "run.jsonl").exists()


def test_a_limit_on_the_size_of_files(spy, tmp_path):
    import resource

    capture = tmp_path / "run.jsonl"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    peer = spy(ECHO_THEN_7, "-o", str(capture), preexec_fn=limit)
    assert_untouched_with_one_line(peer, "recording ends", "File too large")
    assert capture.stat().st_size == 50_000
    assert LINES.startswith(stream(capture, "client"))


def test_a_folder_that_cannot_be_written_to(spy, tmp_path):
    """Root may write anywhere, so this is a folder that nobody can write to."""
    peer = spy(ECHO_THEN_7, "--dir", "/proc/self/captures")
    assert_untouched_with_one_line(peer, "nothing is recorded", "No such file or directory")


def test_a_read_only_folder(spy, read_only_folder):
    peer = spy(ECHO_THEN_7, "-o", f"{read_only_folder}/run.jsonl")
    assert_untouched_with_one_line(peer, "nothing is recorded: `", "cannot be written: ")


def test_a_folder_where_a_file_stands(spy, tmp_path):
    (tmp_path / "file").write_text("")
    peer = spy(ECHO_THEN_7, "-o", f"{tmp_path}/file/run.jsonl")
    assert_untouched_with_one_line(peer, "nothing is recorded")


def test_a_capture_that_is_deleted_while_it_is_written(spy, tmp_path):
    peer = spy(ECHO)
    peer.send(b"a\n")
    peer.read_line()
    peer.capture.unlink()
    out, err, status = peer.converse(LINES)
    assert (out, err, status) == (LINES, b"", 0)


def with_a_bug(monkeypatch_code):
    """Return the proxy's command line, with a bug in acp-spy."""
    code = f"{monkeypatch_code}\nimport acp_spy.__main__ as m\nm.main()"
    return [sys.executable, "-c", code]


BUGS = {
    "recorder": "import acp_spy.capture.recorder as r\n"
    "def broken(*a): raise RuntimeError('a planted bug')\n"
    "r.Recorder.frames = broken",
    "codec": "import acp_spy.capture.files as f\nf.encode_chunk = None",
    "import": "import sys\nsys.modules['msgspec'] = None",
    "naming": "import acp_spy.cli.capture_folder as c\nc.header_for = None",
}


@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS.keys())
def test_a_bug_of_ours_while_recording_does_not_stop_the_traffic(bug, tmp_path):
    command = [*with_a_bug(bug), "-o", f"{tmp_path}/run.jsonl", "--", *ECHO_THEN_7]
    done = subprocess.run(command, input=LINES, capture_output=True, timeout=DEADLINE, check=False)
    assert done.stdout == LINES
    assert done.returncode == 7
    assert done.stderr.count(b"\n") == 1
    assert b"a bug in acp-spy, please report it" in done.stderr


def test_a_bug_of_ours_in_the_loop_itself_puts_nothing_on_stdout(tmp_path):
    bug = "import acp_spy.runtime.pump as p\np.Pump._write = None"
    command = [*with_a_bug(bug), "-o", f"{tmp_path}/run.jsonl", "--", *ECHO]
    done = subprocess.run(command, input=LINES, capture_output=True, timeout=DEADLINE, check=False)
    assert done.stdout == b""
    assert done.returncode == 70
    assert done.stderr.count(b"\n") == 1
