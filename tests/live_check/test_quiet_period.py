"""The judge works when the traffic has calmed down, and at the latest after some time."""

import os

import pytest

from acp_spy.live_check import quiet_period as lull
from acp_spy.live_check.quiet_period import AT_LATEST, BETWEEN_RINGS, BUSY, Lull

A_RING = 1.2 * BETWEEN_RINGS  # seconds that are waited for one


class World:
    """A capture, its bell and a clock, by a script: what is recorded while a ring is waited for."""

    def __init__(self, path, monkeypatch):
        self._path = path
        self.now = 1000.0
        self.script = []
        path.touch()
        self.heard, self._bell = os.pipe()
        monkeypatch.setattr(lull, "time", self)
        monkeypatch.setattr(lull, "poll", lambda: self)

    def monotonic(self):
        return self.now

    def register(self, descriptor, _events):
        assert descriptor == self.heard

    def poll(self, milliseconds):
        """Let the time pass for which the bell is waited; ring it if something is recorded."""
        if self._bell is None:
            return [(self.heard, 0)]
        size = self.script.pop(0) if self.script else 0
        assert size or milliseconds is not None, "waits for ever"
        self.now += (milliseconds or 0) / 1000
        if not size:
            return []
        with self._path.open("ab") as file:
            file.write(b"x" * size)
        os.write(self._bell, b"!")
        return [(self.heard, 0)]

    def end(self):
        os.close(self._bell)
        self._bell = None


@pytest.fixture
def world(tmp_path, monkeypatch):
    world = World(tmp_path / "x.jsonl", monkeypatch)
    yield world
    os.close(world.heard)


@pytest.fixture
def waiting(world, tmp_path):
    return Lull(str(tmp_path / "x.jsonl"), world.heard)


def rings(seconds):
    return round(seconds / A_RING)


def test_a_few_frames_are_a_lull(world, waiting):
    world.script = [1000]
    assert waiting.wait()
    assert world.now == pytest.approx(1000 + A_RING)


def test_nobody_works_while_the_traffic_is_busy(world, waiting):
    world.script = [1000] + 20 * [2 * BUSY]
    assert waiting.wait()
    assert world.script == []


def test_a_stream_at_a_models_pace_is_a_lull(world, waiting):
    world.script = 20 * [3000]
    assert waiting.wait()
    assert len(world.script) == 18


def test_traffic_that_never_calms_down_is_judged_all_the_same(world, waiting):
    world.script = [1000] + 1000 * [2 * BUSY]
    assert waiting.wait()
    assert world.now - 1000 == pytest.approx(AT_LATEST, abs=A_RING)
    assert waiting.wait()
    assert world.now - 1000 == pytest.approx(2 * AT_LATEST, abs=2 * A_RING)


def test_a_lull_can_be_asked_to_have_lasted(world, waiting):
    world.script = [1000, 2 * BUSY, *[1000] * rings(0.1), 2 * BUSY]
    assert waiting.wait(lasting=0.2)
    assert world.now - 1000 >= (2 + rings(0.1)) * A_RING + 0.2


def test_a_ring_during_the_wait_is_not_lost(world, waiting):
    world.script = [1000, 1000]
    assert waiting.wait()
    assert waiting.wait()  # for the second ring; without it this would wait for ever
    with pytest.raises(AssertionError, match="waits for ever"):
        waiting.wait()


def test_the_end_is_no_lull(world, waiting):
    world.script = [1000]
    world.end()
    assert not waiting.wait()
    assert not waiting.wait()


def test_a_capture_that_was_deleted_is_no_reason_to_wait(world, tmp_path):
    world.script = [1000]
    assert Lull(str(tmp_path / "gone.jsonl"), world.heard).wait()
