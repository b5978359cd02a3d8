"""Breakpoints between a real client and a real agent, over the real control socket."""

import json
import os
import stat
import subprocess
import sys
import time

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.control_path import control_paths
from acp_spy.capture.delivered import delivered
from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery
from acp_spy.middleware.holds.client import connect
from acp_spy.wire.frame import Frame

# Asks for a permission, and sends back every line that it gets, as a notification.
AGENT = """
import json, sys

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

send(id=7, method="session/request_permission", params={"sessionId": "s1", "options": []})
for line in sys.stdin:
    send(method="_got", params=json.loads(line))
"""
ALLOW = {"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "selected"}}}
CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}


class Run:
    """A proxy with the agent behind it; the test is the client."""

    def __init__(self, folder, *options):
        self.path = folder / "run.jsonl"
        command = [*ACP_SPY, "--no-check", "-o", str(self.path), "--hold-timeout", "1h", *options]
        self.process = subprocess.Popen(
            [*command, "--", sys.executable, "-c", AGENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    @property
    def socket(self):
        """Wait for the control socket: it is there when trio has been loaded."""
        end = time.monotonic() + DEADLINE
        while not (
            found := [path for path in control_paths(str(self.path)) if os.path.exists(path)]
        ):
            assert time.monotonic() < end
            time.sleep(0.01)
        return found[0]

    def end(self):
        rest = self.process.communicate(timeout=DEADLINE)[0]
        assert self.process.returncode == 0
        return [json.loads(line) for line in rest.splitlines()]


@pytest.fixture
def start(tmp_path):
    runs = []

    def start_one(*options):
        runs.append(Run(tmp_path, *options))
        return runs[-1]

    yield start_one
    for run in runs:
        run.process.kill()
        run.process.communicate()


def test_a_permission_arrives_after_the_cancel_that_was_sent_after_it(start):
    run = start("--intercept", "method:session/request_permission kind:response")
    socket = run.socket
    assert stat.S_IMODE(os.stat(socket).st_mode) == 0o600
    with connect(str(run.path)) as viewer:
        assert viewer.ask("attach")["held"] == []
        assert run.receive()["method"] == "session/request_permission"
        run.send(ALLOW)
        held = viewer.next_event()
        assert (held["event"], held["what"]) == ("held", "response to session/request_permission")
        run.send(CANCEL)
        other_session = {**CANCEL, "params": {"sessionId": "s2"}}
        run.send(other_session)
        assert run.receive()["params"] == other_session  # it is not held up
        named = ["--capture", run.path]
        listed = acp_spy("hold", "list", *named)
        assert "1 frame behind it" in listed.out
        assert (
            acp_spy("hold", "aside", *named).out == "set frame 2 aside; 1 frame behind it went on\n"
        )
        assert run.receive()["params"] == CANCEL
        assert acp_spy("hold", "release", "2", *named).out == "released frame 2\n"
        assert run.receive()["params"] == ALLOW
    assert run.end() == []
    assert not os.path.exists(socket)
    records = load(run.path).records
    done = [(each.seq, each.action) for each in records if isinstance(each, Delivery)]
    assert done == [(2, "held"), (3, "held"), (3, "delayed"), (2, "delayed")]
    got = [each.seq for each in delivered(records) if isinstance(each, Frame)]
    assert [seq for seq in got if seq in (2, 3)] == [3, 2]


def test_when_the_last_viewer_is_killed_everything_goes_on(start):
    run = start("--intercept", "from:client")
    assert run.receive()
    assert run.socket
    watch = subprocess.Popen(
        [*ACP_SPY, "hold", "watch", "--format", "json", "--capture", str(run.path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    try:
        assert json.loads(watch.stdout.readline())["event"] == "attached"
        run.send(ALLOW)
        assert json.loads(watch.stdout.readline())["event"] == "held"
    finally:
        watch.kill()
        watch.wait()
        watch.stdout.close()
    assert run.receive()["params"] == ALLOW
    assert run.end() == []
