"""The judge works when the traffic has calmed down, and at the latest after some time."""

import os
import threading
import time

import pytest

from acp_spy.runtime import lull
from acp_spy.runtime.lull import BUSY, Lull


class Recording:
    """A capture that grows, and the bell that is rung for it."""

    def __init__(self, path):
        self.path = path
        path.touch()
        self.heard, self._bell = os.pipe()

    def grow(self, size):
        with self.path.open("ab") as file:
            file.write(b"x" * size)

    def ring(self):
        os.write(self._bell, b"!")

    def end(self):
        os.close(self._bell)


@pytest.fixture
def recording(tmp_path):
    recording = Recording(tmp_path / "x.jsonl")
    yield recording
    os.close(recording.heard)


@pytest.fixture
def busy_for(recording):
    """Have a thread record more than a lull has, for so many seconds from the first ring on."""
    threads = []

    def start(seconds):
        def talk():
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                recording.grow(2 * BUSY)
                recording.ring()
                time.sleep(lull.BETWEEN_RINGS)

        threads.append(threading.Thread(target=talk))
        threads[0].start()
        return time.monotonic() + seconds

    yield start
    for thread in threads:
        thread.join()


def test_a_few_frames_are_a_lull(recording):
    recording.grow(1000)
    recording.ring()
    assert Lull(str(recording.path), recording.heard).wait()


def test_nobody_works_while_the_traffic_is_busy(recording, busy_for):
    calm_again = busy_for(0.5)
    assert Lull(str(recording.path), recording.heard).wait()
    assert time.monotonic() >= calm_again


def test_but_not_for_ever(recording, busy_for, monkeypatch):
    monkeypatch.setattr(lull, "AT_LATEST", 0.2)
    calm_again = busy_for(2)
    assert Lull(str(recording.path), recording.heard).wait()
    assert time.monotonic() < calm_again


def test_a_lull_can_be_asked_to_have_lasted(recording):
    start = time.monotonic()
    recording.ring()
    assert Lull(str(recording.path), recording.heard).wait(lasting=0.3)
    assert time.monotonic() - start >= 0.3


def test_a_ring_during_the_wait_is_not_lost(recording):
    waiting = Lull(str(recording.path), recording.heard)
    recording.ring()
    later = threading.Timer(0.5 * lull.BETWEEN_RINGS, recording.ring)
    later.start()
    assert waiting.wait()
    assert waiting.wait()  # for the second ring; without it this would wait for ever
    later.join()


def test_the_end_is_no_lull(recording):
    recording.ring()
    recording.end()
    waiting = Lull(str(recording.path), recording.heard)
    assert not waiting.wait()
    assert not waiting.wait()


def test_a_capture_that_was_deleted_is_no_reason_to_wait(recording):
    recording.path.unlink()
    recording.ring()
    assert Lull(str(recording.path), recording.heard).wait()
