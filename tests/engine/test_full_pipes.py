"""A capture that is a pipe waits for its reader, but not for long, since the traffic waits, too."""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from time import monotonic, sleep

import pytest

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.engine import full_pipes
from acp_spy.engine.full_pipes import FullPipe

DOES_NOT_KEEP_UP = "the pipe is full, and its reader does not keep up"


@pytest.fixture
def pipe(tmp_path):
    """Give the path of a pipe, and its end to read from."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    yield str(path), reader
    os.close(reader)


@pytest.mark.parametrize("name", ["pipe", "/dev/fd/{}"])
def test_a_capture_waits_for_the_reader_of_a_pipe_who_is_behind(pipe, tmp_path, name, monkeypatch):
    """A message is larger than a pipe, so it is full although its reader is quick."""
    monkeypatch.setattr(full_pipes, "LONGEST_WAIT", 60.0)  # the machine may be busy
    path, reader = pipe
    writer = os.open(path, os.O_WRONLY)
    file = CaptureFile(str(tmp_path / name.format(writer)), Header(), FullPipe().write)
    lines = [b"x" * 300_000 + b"\n", b"y\n" * 100_000]
    with ThreadPoolExecutor() as pool:
        read = pool.submit(lambda: b"".join(iter(partial(os.read, reader, 4096), b"")))
        try:
            file.append_lines(*lines)
            file.append_lines(b"end\n")
        finally:  # or else it would read for ever
            file.close()
            os.close(writer)
        _, _, recorded = read.result().partition(b"\n")
    assert recorded == b"".join(lines) + b"end\n"


def test_a_pipe_that_nobody_empties_is_not_waited_for_long(pipe, monkeypatch):
    monkeypatch.setattr(full_pipes, "LONGEST_WAIT", 0.1)
    file = CaptureFile(pipe[0], Header(), FullPipe().write)
    with pytest.raises(OSError, match=DOES_NOT_KEEP_UP):
        file.append_lines(b"x" * 300_000)
    file.close()


def test_who_is_always_behind_is_not_waited_for_again_and_again(pipe, monkeypatch):
    monkeypatch.setattr(full_pipes, "LONGEST_WAIT", 1.0)
    path, reader = pipe
    file = CaptureFile(path, Header(), FullPipe().write)

    def read_slowly():
        while os.read(reader, 65536):
            sleep(0.3)

    started = monotonic()
    with ThreadPoolExecutor() as pool:
        pool.submit(read_slowly)
        try:
            with pytest.raises(OSError, match=DOES_NOT_KEEP_UP):
                deque(map(file.append_lines, repeat(b"x" * 65535 + b"\n", 100)), maxlen=0)
        finally:
            file.close()
    assert monotonic() - started > 0.9


def test_after_some_time_without_waiting_it_may_wait_again(pipe, monkeypatch):
    """By a clock of our own: each wait takes 1.5 seconds, and then all is read."""
    path, reader = pipe
    now = [100.0]

    def has_room(_, seconds):
        now[0] += 1.5
        os.read(reader, 1 << 20)
        return seconds >= 1.5

    monkeypatch.setattr(full_pipes, "monotonic", lambda: now[0])
    monkeypatch.setattr(full_pipes, "_has_room", has_room)
    file = CaptureFile(path, Header(), FullPipe().write)
    for _ in range(3):
        file.append_lines(b"x" * 66_000)
        now[0] += full_pipes.LONGEST_WAIT + 1
    file.append_lines(b"x" * 66_000)
    with pytest.raises(OSError, match=DOES_NOT_KEEP_UP):
        file.append_lines(b"x" * 66_000)
    file.close()
