"""What the traffic does not wait for is done in turn, and waited for in the end."""

import _thread
from threading import Event, get_ident

import pytest

from acp_spy.engine import backlog as module
from acp_spy.engine.backlog import Backlog


def test_all_is_done_in_turn_by_another_thread():
    backlog, go, done, threads = Backlog(), Event(), [], set()

    def work(number):
        assert go.wait(60)
        done.append(number)
        threads.add(get_ident())

    for number in range(9):
        backlog.put(1, lambda number=number: work(number))
    assert not backlog.wait(0)
    assert not backlog.is_empty
    go.set()
    assert backlog.wait(60)
    assert done == list(range(9))
    assert threads.isdisjoint({get_ident()})


def test_who_has_too_much_waits(monkeypatch):
    monkeypatch.setattr(module, "_MOST", 10)
    backlog, go, done = Backlog(), Event(), []
    backlog.put(10, lambda: done.append(go.wait(60)))
    _thread.start_new_thread(lambda: (backlog.put(1, lambda: done.append("late")), go.set()), ())
    assert not go.wait(0.05)  # it waits for the first, which waits for it
    assert done == []
    go.set()
    while len(done) < 2:
        assert backlog.wait(60)
    assert done == [True, "late"]


@pytest.mark.parametrize("times", [1, 3])
def test_without_threads_it_is_done_at_once(monkeypatch, times):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module, "start_new_thread", refuse)
    backlog, done = Backlog(), []
    for number in range(times):
        backlog.put(1, lambda number=number: done.append(number))
    assert done == list(range(times))
    assert backlog.is_empty
