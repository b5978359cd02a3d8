"""The end of a process with many conversations: in order, also if it is asked for twice."""

import signal
from types import SimpleNamespace

import pytest
import trio

from acp_spy.remote.checking import Checking
from acp_spy.remote.keep_alive import KeepAlive
from acp_spy.remote.until_signal import until_signal


@pytest.fixture
def events():
    """Note when a signal is raised again, which would end a process that does not note it."""
    noted = []
    before = signal.signal(signal.SIGTERM, lambda *_: noted.append("signal"))
    yield noted
    signal.signal(signal.SIGTERM, before)


def service_that(close):
    conversations = SimpleNamespace(close=close, finish_by=lambda _: None)
    others = {"log": None, "guard_against_bugs": None, "keep_alive": KeepAlive()}
    return SimpleNamespace(conversations=conversations, **others)


def test_captures_are_closed_before_a_second_signal_ends_us(events):
    service = service_that(close=lambda: events.append("closed"))

    async def main():
        async with until_signal(service, Checking(pytest.fail)) as signals:
            signal.raise_signal(signal.SIGTERM)
            await anext(signals)
            signal.raise_signal(signal.SIGTERM)
            await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    assert events == ["closed", "signal"]


def test_a_signal_that_nohup_ignores_is_ignored_on():
    service = service_that(close=lambda: None)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def main():
        async with until_signal(service, Checking(pytest.fail)):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

    try:
        trio.run(main)
    finally:
        signal.signal(signal.SIGHUP, before)
