"""A module is loaded by a thread; whatever goes wrong with that, nothing is left open."""

import errno
import os
import sys

import pytest
from support.fake_agent import open_descriptors

from acp_spy.engine import loading
from acp_spy.engine.carrier import Carrier
from acp_spy.engine.loading import Loading
from acp_spy.engine.ready import FOR_EVER, is_readable


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    before = open_descriptors()
    yield
    assert not open_descriptors() - before
    assert sys.getswitchinterval() == pytest.approx(loading._USUAL_INTERVAL)


def test_a_carrier_is_woken_when_a_module_is_loaded():
    carrier, json = Carrier(), Loading("json")
    assert not json.is_over
    json.start()
    json.start()  # is done once
    json.wake(carrier)
    assert carrier.turn(FOR_EVER)
    assert json.module is sys.modules["json"]
    assert not carrier.turn(0)
    json.wait()
    json.wait()
    carrier.close()


def test_a_module_that_cannot_be_loaded_is_an_error_and_no_exception():
    missing = Loading("acp_spy.engine.no_such_module")
    missing.wait()
    assert missing.is_over
    assert isinstance(missing.run("anything"), ModuleNotFoundError)


def fail(error):
    def raise_it(*_):
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("module", "name", "error"),
    [
        (os, "pipe", OSError(errno.EMFILE, "Too many open files")),
        (loading, "start_new_thread", RuntimeError("can't start new thread")),
    ],
)
def test_without_a_descriptor_or_a_thread_it_is_over_at_once(module, name, error, monkeypatch):
    json = Loading("json")
    with monkeypatch.context() as patch:
        patch.setattr(module, name, fail(error))
        json.start()
    assert json.is_over
    assert json.done < 0 or is_readable(json.done)  # nobody would wait for it
    assert json.run("anything") is error
