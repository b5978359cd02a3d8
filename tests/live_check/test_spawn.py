"""A checker as a new process."""

import os
import signal

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.live_check import DONE, READY
from acp_spy.live_check.spawn import spawn


@pytest.fixture
def begin(tmp_path):
    """Begin one as a function; return its number, and our ends of its pipes."""
    opened, begun = [], []

    def begin():
        path = tmp_path / "run.jsonl"
        path.write_bytes(encode([Header(), *parse("<- noise\n")]))
        capture = os.open(path, os.O_RDWR | os.O_APPEND)
        (wakeups, waker), (reader, output) = os.pipe(), os.pipe()
        begun.append(spawn(str(path), capture, wakeups, output))
        for descriptor in (capture, wakeups, output):
            os.close(descriptor)
        opened.extend((waker, reader))
        return begun[-1], waker, reader

    yield begin
    for pid in begun:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for descriptor in opened:
        os.close(descriptor)


def test_a_ctrl_c_is_not_for_it_from_the_first_moment_on(begin):
    """Python takes a while to start, in which it would die of it with a traceback."""
    pid, _, _ = begin()
    assert os.getpgid(pid) == pid


def test_it_reads_what_was_open_whatever_is_at_the_path_by_then(begin, tmp_path):
    path = tmp_path / "run.jsonl"
    _, waker, reader = begin()
    path.rename(tmp_path / "moved.jsonl")
    path.write_bytes(encode([Header(), *parse("-> a\n-> b\n-> c\n")]))
    os.write(waker, b"!")
    said = b""
    while said.count(b"\n") < 2:
        data = os.read(reader, 65536)
        assert data, said
        said += data
    ready, finding = said.splitlines()
    assert ready == READY
    assert b'"code":"FRM004"' in finding
    assert DONE not in said
