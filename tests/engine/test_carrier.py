"""A carrier calls who is in charge, whatever the descriptor is, and with or without epoll."""

import os
import select
import threading
from select import POLLHUP, POLLIN, POLLOUT

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.driven import run, something_to_carry
from acp_spy.engine.ready import FOR_EVER


@pytest.fixture(params=["epoll", "poll"])
def carrier(request, monkeypatch):
    """Return a carrier as on Linux, and one as on systems that have no epoll."""
    with monkeypatch.context() as patch:
        if request.param == "poll":
            patch.delattr(select, "epoll")
        made = Carrier()
    assert (made.fileno() >= 0) == (request.param == "epoll")
    yield made
    made.close()


@pytest.fixture
def pipe():
    ends = list(os.pipe())
    yield ends
    for descriptor in ends:
        os.close(descriptor)


class Calls(list):
    """What a handler was called with."""

    def handler(self, name):
        return lambda events: self.append((name, events))


def test_who_is_in_charge_is_called_for_as_long_as_it_is_so(carrier, pipe):
    calls, (reader, writer) = Calls(), pipe
    carrier.watch(reader, POLLIN, calls.handler("reader"))
    assert not carrier.turn(0)
    os.write(writer, b"x")
    assert carrier.turn(FOR_EVER)
    assert carrier.turn(FOR_EVER)
    assert calls == [("reader", POLLIN)] * 2
    os.read(reader, 1)
    assert not carrier.turn(0)


def test_that_the_other_end_has_gone_is_always_of_interest(carrier):
    calls = Calls()
    reader, writer = os.pipe()
    carrier.watch(reader, 0, calls.handler("reader"))
    os.close(writer)
    assert carrier.turn(FOR_EVER)
    assert calls == [("reader", POLLHUP)]
    carrier.forget(reader)
    assert not carrier.turn(0)
    os.close(reader)


def test_interest_changes(carrier, pipe):
    calls, (_, writer) = Calls(), pipe
    carrier.watch(writer, 0, calls.handler("writer"))
    assert not carrier.turn(0)
    carrier.watch(writer, POLLOUT, calls.handler("room"))
    assert carrier.turn(0)
    carrier.watch(writer, 0, calls.handler("writer"))
    assert not carrier.turn(0)
    assert calls == [("room", POLLOUT)]


def test_who_is_forgotten_by_one_before_is_not_called(carrier):
    calls = []
    pipes = [os.pipe() for _ in range(2)]
    readers = [reader for reader, _ in pipes]

    def handle(_events):
        calls.append("once")
        for reader in readers:
            carrier.forget(reader)

    for reader, writer in pipes:
        carrier.watch(reader, POLLIN, handle)
        os.write(writer, b"x")
    assert carrier.turn(FOR_EVER)
    assert calls == ["once"]
    for descriptor in sum(pipes, ()):
        os.close(descriptor)


@pytest.mark.parametrize("path", ["/dev/null", __file__])
def test_files_and_devices_are_always_ready(carrier, path, pipe):
    """Which epoll refuses to wait for; others get their turn all the same."""
    calls, (reader, writer) = Calls(), pipe
    descriptor = os.open(path, os.O_RDONLY)
    carrier.watch(reader, POLLIN, calls.handler("pipe"))
    carrier.watch(descriptor, POLLIN, calls.handler("file"))
    assert carrier.turn(FOR_EVER)
    assert calls == [("file", POLLIN)]
    os.write(writer, b"x")
    carrier.turn(FOR_EVER)
    assert sorted(calls[1:]) == [("file", POLLIN), ("pipe", POLLIN)]
    os.read(reader, 1)
    carrier.watch(descriptor, 0, calls.handler("file"))
    assert not carrier.turn(0)
    carrier.watch(descriptor, POLLIN, calls.handler("file"))
    assert carrier.turn(FOR_EVER)
    carrier.forget(descriptor)
    assert not carrier.turn(0)
    os.close(descriptor)


def test_one_that_forgets_itself_is_called_no_more(carrier):
    calls = []
    descriptor = os.open("/dev/null", os.O_RDONLY)

    def handle(_events):
        calls.append("once")
        carrier.forget(descriptor)

    carrier.watch(descriptor, POLLIN, handle)
    carrier.carry()
    assert calls == ["once"]
    os.close(descriptor)


def test_carrying_goes_on_for_as_long_as_something_comes(carrier, pipe, monkeypatch):
    monkeypatch.setattr("acp_spy.engine.carrier._AT_MOST", 60_000)  # on a busy machine, too
    reader, writer = pipe
    left = [b"x"] * 20

    def handle(_events):
        os.read(reader, 1)
        if left:
            os.write(writer, left.pop())

    carrier.watch(reader, POLLIN, handle)
    os.write(writer, b"x")
    carrier.carry()
    assert left == []


def test_who_never_stops_does_not_keep_others_waiting_for_ever(carrier, pipe):
    reader, writer = pipe
    carrier.watch(reader, POLLIN, lambda _events: None)
    os.write(writer, b"x")
    carrier.carry()  # would not return


# ----------------------------------------------------------------------------- driven by trio


def test_trio_waits_for_a_carrier_and_others_go_on_meanwhile(carrier, pipe):
    calls, (reader, writer) = Calls(), pipe
    carrier.watch(reader, POLLIN, calls.handler("reader"))

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(something_to_carry, carrier)
            await wait_all_tasks_blocked()
            assert len(nursery.child_tasks) == 1
            os.write(writer, b"x")

    trio.run(main)
    assert calls == []  # it was only waited for
    assert carrier.turn(0)


def test_what_becomes_of_interest_while_it_is_waited_for_is_noticed(carrier, pipe):
    reader, writer = pipe
    carrier.watch(reader, POLLIN, pytest.fail)

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(something_to_carry, carrier)
            await wait_all_tasks_blocked()
            carrier.watch(writer, POLLOUT, pytest.fail)

    trio.run(main)


def test_waiting_for_a_carrier_can_be_cancelled(carrier, pipe):
    carrier.watch(pipe[0], POLLIN, pytest.fail)

    async def main():
        with trio.move_on_after(60) as scope:
            await something_to_carry(carrier)
        return scope.cancelled_caught

    assert trio.run(main, clock=MockClock(autojump_threshold=0))


def test_no_thread_is_left_behind_that_waits_by_the_same_poll(monkeypatch):
    """Without epoll a thread waits; who goes on after a cancellation waits by that poll himself."""
    with monkeypatch.context() as patch:
        patch.delattr(select, "epoll")
        carrier, events = Carrier(), []
    may_return = threading.Event()

    async def main():
        waits = trio.Event()

        def is_woken():
            trio.from_thread.run_sync(waits.set)
            may_return.wait()
            events.append("thread")
            return False

        monkeypatch.setattr(carrier, "is_woken", is_woken)

        async def carry():
            with scope:
                await something_to_carry(carrier)
            events.append("carrier")

        scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            await waits.wait()
            scope.cancel()
            await wait_all_tasks_blocked()
            may_return.set()

    try:
        trio.run(main)
    finally:
        may_return.set()
    assert events == ["thread", "carrier"]


def test_what_is_always_ready_is_not_waited_for(carrier):
    descriptor = os.open("/dev/null", os.O_RDONLY)
    carrier.watch(descriptor, POLLIN, lambda _events: None)
    trio.run(something_to_carry, carrier)
    os.close(descriptor)


# ----------------------------------------------------------------------------- how a run fails


async def fail_in_two_tasks(*errors):
    async def fail(error):
        raise error

    async with trio.open_nursery() as nursery:
        for error in errors:
            nursery.start_soon(fail, error)


def test_one_error_is_raised_as_itself():
    with pytest.raises(MemoryError):
        run(fail_in_two_tasks, MemoryError())


def test_an_interruption_comes_before_any_other_error():
    with pytest.raises(KeyboardInterrupt):
        run(fail_in_two_tasks, OSError(), KeyboardInterrupt())


def test_several_errors_are_a_group():
    with pytest.raises(ExceptionGroup):
        run(fail_in_two_tasks, OSError(), ValueError())
