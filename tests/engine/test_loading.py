"""A module is loaded by a thread; whatever goes wrong with that, nothing is left open."""

import sys
from unittest.mock import patch

import pytest
from support.fake_agent import open_descriptors

from acp_spy.engine import work
from acp_spy.engine.work import Loading


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    before = open_descriptors()
    yield
    assert not open_descriptors() - before
    assert sys.getswitchinterval() == pytest.approx(work._USUAL_INTERVAL)


def test_a_module_is_loaded_once_and_its_function_run_by_trio():
    ran = []

    async def carry(*args):
        ran.append(args)

    driven = Loading("acp_spy.engine.driven")
    assert not driven.is_over
    driven.start()
    driven.start()
    with patch("acp_spy.engine.driven.carry", carry):
        assert driven.run("carry", 1) is driven.run("carry", 2) is None
    assert driven.is_over
    assert ran == [(1,), (2,)]


def test_a_module_that_cannot_be_loaded_is_an_error_and_no_exception():
    missing = Loading("acp_spy.engine.no_such_module")
    assert isinstance(missing.run("anything"), ModuleNotFoundError)
    assert missing.is_over


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
def test_without_a_thread_it_is_over_at_once(error, monkeypatch):
    def fail(*_):
        raise error

    driven = Loading("acp_spy.engine.driven")
    monkeypatch.setattr(work, "start_new_thread", fail)
    driven.start()
    assert driven.is_over
    assert driven.run("carry") is error


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), MemoryError()])
def test_what_is_wrong_with_trio_itself_is_returned(error, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr("trio.run", fail)
    assert Loading("acp_spy.engine.driven").run("carry") is error
