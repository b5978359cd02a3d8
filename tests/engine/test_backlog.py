"""What the traffic does not wait for is done in turn, and waited for in the end."""

import _thread
from threading import Event, get_ident

import pytest

from acp_spy.engine import backlog as module
from acp_spy.engine.backlog import Backlog, Worker


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


def test_backlogs_of_one_worker_take_turns_and_each_knows_when_it_is_empty():
    worker, go, done, empty = Worker(), Event(), [], []
    first, second, third = (Backlog(worker) for _ in range(3))
    first.put(1, lambda: go.wait(60))
    for number in range(3):
        first.put(1, lambda number=number: done.append(f"first {number}"))
    for number in range(2):
        second.put(1, lambda number=number: done.append(f"second {number}"))
    first.when_empty(lambda: empty.append(list(done)))
    third.when_empty(lambda: empty.append("third"))
    assert (third.is_empty, second.is_empty, empty) == (True, False, ["third"])
    go.set()
    assert first.wait(60)
    assert second.is_empty
    assert done == ["second 0", "first 0", "second 1", "first 1", "first 2"]
    assert empty == ["third", done]


def test_all_backlogs_of_one_worker_share_the_room(monkeypatch):
    monkeypatch.setattr(module, "_MOST", 10)
    worker, go, done, has_put = Worker(), Event(), [], Event()
    first, second = Backlog(worker), Backlog(worker)
    first.put(10, lambda: done.append(go.wait(60)))
    _thread.start_new_thread(lambda: (second.put(1, lambda: done.append(2)), has_put.set()), ())
    assert not has_put.wait(0.05)
    first.when_empty(lambda: done.append("empty"))  # takes no room
    go.set()
    assert has_put.wait(60)
    assert second.wait(60)
    assert first.wait(60)
    assert sorted(map(str, done)) == ["2", "True", "empty"]
