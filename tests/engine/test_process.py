"""The end of an agent is waited for by whoever asks, and its status is got once."""

import os
import signal
import sys

import pytest

from acp_spy.engine import process


@pytest.fixture
def agents(monkeypatch):
    """Start agents on a system without a pidfd, where a thread waits for the end of each."""
    monkeypatch.delattr(os, "pidfd_open")
    failures = []
    monkeypatch.setattr(sys, "unraisablehook", failures.append)  # of that thread
    before = signal.getsignal(signal.SIGCHLD)

    def start():
        agent = process.start(["cat"], set())
        assert agent.start_failure() is None
        return agent

    yield start
    signal.signal(signal.SIGCHLD, before)
    assert failures == []


def test_who_kills_an_agent_gets_its_status_though_a_thread_waits_for_it_as_well(agents):
    for _ in range(20):  # the kernel gives it to either
        agent = agents()
        end = agent.watch_end()
        assert agent.send(signal.SIGKILL)
        assert agent.reap() == -signal.SIGKILL
        assert os.read(end, 1) == b""
        assert not agent.send(signal.SIGKILL)
        for descriptor in (end, agent.stdin, agent.stdout, agent.stderr):
            os.close(descriptor)
