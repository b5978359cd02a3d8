"""Faults between a real client and a real agent."""

import signal
import subprocess
import sys

import pytest
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery
from acp_spy.diagnosis.diagnose import diagnose

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


class Echo:
    """`cat` as the agent, with faults before it; the test is the client, one line at a time."""

    def __init__(self, folder, *specs):
        words = [word for spec in specs for word in ("--fault", spec)]
        self.path = folder / "run.jsonl"
        command = [*ACP_SPY, "--no-check", "-o", str(self.path), *words, "--seed", "1", "--", "cat"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def receive(self, count=1):
        return [self.process.stdout.readline() for _ in range(count)]

    def end(self):
        rest, _ = self.process.communicate(timeout=DEADLINE)
        return rest


@pytest.fixture
def echo(tmp_path):
    running = []

    def start(*specs):
        running.append(Echo(tmp_path, *specs))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.communicate()


NOTE = b'{"jsonrpc":"2.0","method":"_n","params":{"text":"%s"}}\n'
ASK = b'{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s"}}\n'
DONE = b'{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}\n'
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'


@pytest.mark.long
def test_what_happens_to_lines_between_real_processes(echo):
    """Frames have odd numbers as they are sent, and even ones as they come back, up to the tenth."""
    run = echo(
        "duplicate:3 seq:2",
        "truncate:10 seq:4",
        "corrupt:2 seq:6",
        "jitter:1ms seq:7",
        "bandwidth:1MB seq:8",
        "stall:1ms seq:9",
        "error:-32000 seq:11",
        "drop seq:12",
        "swallow seq:13",
        "reorder:1h seq:14",
        "late:1ms",
    )
    lines = [NOTE % text for text in (b"twice", b"short", b"wrong", b"later", b"slow")]
    got = []
    for count, line in zip((3, 1, 1, 1, 1), lines, strict=True):
        run.send(line)
        got.append(run.receive(count))
    assert got[0] == [lines[0]] * 3
    assert got[1] == [lines[1][:10] + b"\n"]
    assert len(got[2][0]) == len(lines[2])
    assert sum(a != b for a, b in zip(got[2][0], lines[2], strict=True)) == 2
    assert got[3:] == [[lines[3]], [lines[4]]]
    run.send(ASK % 1)  # 11
    assert b'"code":-32000' in run.receive()[0]
    run.send(NOTE % b"lost")  # 12
    run.send(DONE % 9)  # 13
    first, second = NOTE % b"first", NOTE % b"second"
    run.send(first)  # 14
    run.send(second)  # 15
    assert run.receive(2) == [second, first]
    run.send(ASK % 2)
    assert run.receive() == [ASK % 2]
    run.send(DONE % 2)  # what comes back is the response to the prompt
    run.send(CANCEL)
    assert sorted(run.receive(2)) == sorted([DONE % 2, CANCEL])
    assert run.end() == b""
    done = {by.removeprefix("fault ").partition(":")[0] for by, _ in _actions(load(run.path))}
    assert done == {
        *("duplicate", "truncate", "corrupt", "jitter", "bandwidth", "stall", "error", "drop"),
        *("swallow", "reorder", "late"),
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "spec", ["close seq:2", "half-close seq:2", "half-close from:client seq:1"]
)
def test_a_stream_that_ends_between_real_processes(echo, spec):
    run = echo(spec)
    run.send(NOTE % b"one")
    assert run.receive(2) == [NOTE % b"one", b""]
    run.end()
    capture = load(run.path)
    assert {action for _, action in _actions(capture)} >= {"closed"}
    assert capture.exit is not None
    assert diagnose(capture).kind == "ended-by-acp-spy"
