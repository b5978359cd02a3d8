import fcntl
import os

import pytest

from acp_spy.capture.files import CaptureFile
from acp_spy.capture.lock import hold, is_held, open_to_look
from acp_spy.capture.records import Header


@pytest.fixture
def look():
    opened = []

    def look(path):
        opened.append(open_to_look(str(path)))
        return opened[-1]

    yield look
    for descriptor in opened:
        os.close(descriptor)


def test_a_capture_is_held_until_its_file_is_closed(tmp_path, look):
    file = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    reader = look(file.path)
    assert is_held(reader)
    os.close(file._fd)
    assert not is_held(reader)


def test_two_who_look_do_not_take_each_other_for_a_writer(tmp_path, look):
    path = tmp_path / "run.jsonl"
    path.touch()
    other = look(path)
    fcntl.flock(other, fcntl.LOCK_SH)  # caught in the middle of its look
    assert not is_held(look(path))


def test_who_has_looked_lets_go(tmp_path, look):
    path = tmp_path / "run.jsonl"
    path.touch()
    is_held(look(path))
    writer = look(path)
    fcntl.flock(writer, fcntl.LOCK_EX | fcntl.LOCK_NB)  # would raise


def test_a_descriptor_that_cannot_be_locked_is_no_reason_to_fail():
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    hold(writing)
    assert is_held(writing)  # in doubt, hands off


def test_a_device_is_not_locked(look):
    file = CaptureFile("/dev/null", Header())
    assert not is_held(look("/dev/null"))
    os.close(file._fd)


def test_the_lock_comes_before_the_header(tmp_path, monkeypatch, look):
    """Else somebody could find a header and no lock, and take a running capture for a dead one."""
    seen = []
    write = os.write

    def spy(descriptor, data):
        seen.append(is_held(look(tmp_path / "run.jsonl")))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", spy)
    file = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    os.close(file._fd)
    assert seen == [True]
