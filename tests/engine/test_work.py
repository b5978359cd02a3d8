"""Who carries a piece of work: alone until a silence, then trio, and alone again if trio fails."""

import pytest

from acp_spy.engine.ready import FOR_EVER
from acp_spy.engine.work import carry


class FakeWork:
    """Is its own carrier: `turns` says of each whether something comes, and then it is over."""

    def __init__(self, *turns, patience=FOR_EVER, ends_after=FOR_EVER):
        self.carrier = self
        self.patience = patience
        self.turns = list(turns)
        self.waits = []
        self.silences = []
        self._ends_after = ends_after

    @property
    def is_over(self):
        return not self.turns

    @property
    def is_ending(self):
        return self.is_over or len(self.waits) >= self._ends_after

    def turn(self, seconds):
        self.waits.append(seconds)
        return self.turns.pop(0)

    def do_due(self, *, silent):
        self.silences.append(silent)


class FakeLoading:
    """Is loaded after so many turns of the work; or was never started."""

    def __init__(self, work, turns=0):
        self._work = work
        self._turns = turns
        self.started_after = None

    @property
    def is_over(self):
        if self.started_after is None:
            return False
        return len(self._work.waits) >= self.started_after + self._turns

    def start(self):
        if self.started_after is None:
            self.started_after = len(self._work.waits)


def test_what_is_over_before_a_silence_needs_no_trio():
    work = FakeWork(True, True)
    loading = FakeLoading(work)
    carry(work, loading, pytest.fail)
    assert loading.started_after is None
    assert work.silences == [False, False]


def test_what_is_due_soon_is_no_silence():
    work = FakeWork(False, True, patience=0.01)
    loading = FakeLoading(work)
    carry(work, loading, pytest.fail)
    assert loading.started_after is None
    assert (work.waits, work.silences) == ([0.01, 0.01], [True, False])


def test_it_is_carried_while_trio_is_loaded_and_then_by_trio():
    work = FakeWork(True, False, True, True, True)
    loading = FakeLoading(work, turns=2)
    carry(work, loading, lambda: True)
    assert loading.started_after == 2
    assert work.turns == [True]  # is left to trio
    assert max(work.waits) < 1  # that it is loaded wakes nobody up


def test_what_trio_cannot_carry_is_carried_alone_to_its_end():
    work = FakeWork(False, True, True)
    carry(work, FakeLoading(work), lambda: False)
    assert work.is_over
    assert work.silences == [False, False]


def test_what_is_ending_is_not_handed_over():
    work = FakeWork(True, False, True, False, ends_after=3)
    loading = FakeLoading(work, turns=1)
    carry(work, loading, pytest.fail)
    assert (loading.started_after, work.is_over) == (2, True)
    work = FakeWork(True, False, False, ends_after=1)
    loading = FakeLoading(work)
    carry(work, loading, pytest.fail)
    assert loading.started_after is None
    assert work.waits[1:] == [FOR_EVER, FOR_EVER]  # all the time that it has
