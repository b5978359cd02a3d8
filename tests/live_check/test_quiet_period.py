"""The checker works when the traffic has calmed down, and at the latest after some time."""

import os

import pytest

from acp_spy.engine.ready import FOR_EVER
from acp_spy.live_check import quiet_period
from acp_spy.live_check.quiet_period import AT_LATEST, BETWEEN_WAKEUPS, BUSY, QuietPeriod

A_WAKEUP = 1.2 * BETWEEN_WAKEUPS  # seconds that are waited for one


class World:
    """A capture, its pipe and a clock, by a script: what is recorded while a wakeup is waited for."""

    def __init__(self, path, monkeypatch):
        self._path = path
        self.now = 1000.0
        self.script = []
        path.touch()
        self.reader, self._writer = os.pipe()
        monkeypatch.setattr(quiet_period, "time", self)
        monkeypatch.setattr(quiet_period, "is_readable", self.is_readable)

    def monotonic(self):
        return self.now

    def is_readable(self, descriptor, seconds):
        """Let the time pass for which a wakeup is waited; send it if something is recorded."""
        assert descriptor == self.reader
        if self._writer is None:
            return True
        size = self.script.pop(0) if self.script else 0
        assert size or seconds < FOR_EVER, "waits for ever"
        self.now += seconds if seconds < FOR_EVER else 0
        if not size:
            return False
        with self._path.open("ab") as file:
            file.write(b"x" * size)
        os.write(self._writer, b"!")
        return True

    def end(self):
        os.close(self._writer)
        self._writer = None


@pytest.fixture
def world(tmp_path, monkeypatch):
    world = World(tmp_path / "x.jsonl", monkeypatch)
    yield world
    os.close(world.reader)
    if world._writer is not None:
        world.end()


@pytest.fixture
def waiting(world, tmp_path):
    capture = os.open(tmp_path / "x.jsonl", os.O_RDONLY)
    yield QuietPeriod(capture, world.reader)
    os.close(capture)


def wakeups(seconds):
    return round(seconds / A_WAKEUP)


def test_a_few_frames_are_quiet(world, waiting):
    world.script = [1000]
    assert waiting.wait()
    assert world.now == pytest.approx(1000 + A_WAKEUP)


def test_nobody_works_while_the_traffic_is_busy(world, waiting):
    world.script = [1000] + 20 * [2 * BUSY]
    assert waiting.wait()
    assert world.script == []


def test_a_stream_at_a_models_pace_is_quiet(world, waiting):
    world.script = 20 * [3000]
    assert waiting.wait()
    assert len(world.script) == 18


def test_traffic_that_never_calms_down_is_judged_all_the_same(world, waiting):
    world.script = [1000] + 1000 * [2 * BUSY]
    assert waiting.wait()
    assert world.now - 1000 == pytest.approx(AT_LATEST, abs=A_WAKEUP)
    assert waiting.wait()
    assert world.now - 1000 == pytest.approx(2 * AT_LATEST, abs=2 * A_WAKEUP)


def test_quiet_can_be_asked_to_have_lasted(world, waiting):
    world.script = [1000, 2 * BUSY, *[1000] * wakeups(0.1), 2 * BUSY]
    assert waiting.wait(lasting=0.2)
    assert world.now - 1000 >= (2 + wakeups(0.1)) * A_WAKEUP + 0.2


def test_a_wakeup_during_the_wait_is_not_lost(world, waiting):
    world.script = [1000, 1000]
    assert waiting.wait()
    assert waiting.wait()  # for the second wakeup; without it this would wait for ever
    with pytest.raises(AssertionError, match="waits for ever"):
        waiting.wait()


def test_the_end_is_not_quiet(world, waiting):
    world.script = [1000]
    world.end()
    assert not waiting.wait()
    assert not waiting.wait()


def test_a_capture_that_was_deleted_is_no_reason_to_wait(world, waiting, tmp_path):
    (tmp_path / "x.jsonl").unlink()
    world.script = [1000]
    assert waiting.wait()


def test_what_has_taken_the_place_of_the_capture_is_not_traffic(world, waiting, tmp_path):
    (tmp_path / "x.jsonl").unlink()
    world.script = [1000] + 20 * [2 * BUSY]
    assert waiting.wait()
    assert len(world.script) == 19
