"""Faults between a real client and a real agent."""

import signal
import subprocess
import sys

import pytest
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery

AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]


@pytest.fixture
def talk(tmp_path):
    """Let the demo's client and agent talk; return how that ended, and the capture."""

    def talk(*words, agent=AGENT):
        proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", *words, "--", *agent]
        done = subprocess.run(
            [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
        )
        return done, load(tmp_path / "run.jsonl")

    return talk


def _actions(capture):
    return {(r.by, r.action) for r in capture.records if isinstance(r, Delivery)}


def test_faults_that_a_good_client_survives(talk):
    specs = ["slice:4", "merge:3 from:agent", "latency:5ms~3ms", "stderr-flood:300kB turn:1"]
    words = [word for spec in specs for word in ("--fault", spec)]
    done, capture = talk(*words, "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(b"one of many lines") > 3000
    named = ", ".join(by for by, _ in _actions(capture))
    assert all(f"fault {spec.split()[0]}" in named for spec in specs)
    assert capture.header.note.endswith(" --fault 'stderr-flood:300kB turn:1' --seed 1")
    assert capture.exit.status == 0


def test_a_crash(talk):
    done, capture = talk("--fault", "crash turn:1")
    assert b"the agent ended before it answered session/prompt" in done.stderr
    assert ("fault crash", "signaled") in _actions(capture)
    assert capture.exit.status == -signal.SIGKILL


@pytest.mark.parametrize(("spec", "status"), [("exit:42 seq:1", 42), ("crash:SIGTERM seq:1", -15)])
def test_the_proxy_ends_as_the_fault_says(tmp_path, spec, status):
    command = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "--fault", spec, "--", "cat"]
    done = subprocess.run(
        command, input=b"{}\n", cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == status
    assert {action for _, action in _actions(load(tmp_path / "run.jsonl"))} >= {"signaled"}


def test_a_hostile_mock_agent(tmp_path):
    """A recorded agent, made worse on its way."""
    record = [*ACP_SPY, "--no-check", "-o", "good.jsonl", "--", *AGENT]
    subprocess.run([*CLIENT, *record], cwd=tmp_path, timeout=DEADLINE, check=True)
    mock = [*ACP_SPY, "replay", "agent", "good.jsonl", "--quiet"]
    faulty = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "--fault", "noise", "--fault", "slice"]
    subprocess.run([*CLIENT, *faulty, "--", *mock], cwd=tmp_path, timeout=DEADLINE, check=True)
    assert _actions(load(tmp_path / "run.jsonl")) == {
        ("fault noise", "injected"),
        ("fault slice", "sliced"),
    }


@pytest.mark.parametrize("words", [["--fault", "dorp"], ["--fault", "drop p:7"], ["--seed", "1"]])
def test_no_agent_is_started_for_a_wrong_fault(words, tmp_path):
    command = [*ACP_SPY, *words, "--", "sh", "-c", "echo > started"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"\nhint: " in done.stderr
    assert not (tmp_path / "started").exists()


def test_faults_are_for_agents_that_are_started():
    command = [*ACP_SPY, "--fault", "drop", "--", "https://localhost/acp"]
    done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert b"`--fault` cannot be used with a URL" in done.stderr
