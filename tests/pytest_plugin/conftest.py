"""A project of somebody else, whose tests are run by a pytest of their own."""

import re
import sys
import textwrap
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from support.inner_pytest import run_pytest
from support.processes import DEADLINE

from acp_spy import Header
from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse
from acp_spy.pytest_plugin import mock

# The real agent: answers everything, and says whatever $GREETING says now.
AGENT = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    results = {
        "initialize": {"protocolVersion": 1, "agentInfo": {"name": os.environ["GREETING"]}},
        "session/new": {"sessionId": f"s-{os.getpid()}"},
        "session/prompt": {"stopReason": os.environ["STOP"]},
    }
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}
    print(json.dumps(answer), flush=True)
"""

# A client: calls methods one by one, then hangs up.
TALK = """
import json, subprocess

INIT = "initialize", {"protocolVersion": 1}
NEW = "session/new", {"cwd": "/project", "mcpServers": []}

class Connection:
    def __init__(self, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, text=True, **pipes)
        self.count = 0

    def call(self, method, params):
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.count += 1
        self.process.stdin.write(json.dumps(message) + "\\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()

def talk(command, *calls):
    connection = Connection(command)
    answers = [connection.call(*call) for call in calls]
    connection.close()
    return answers
"""

HELLO = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"recorded"}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> EOF
    <- EOF
    == 0
"""
# Ours is found by its entry point, as in any project; hypothesis and anyio take a second to load.
_USUAL = ("-q", "--tb=short", "-p", "no:hypothesispytest", "-p", "no:anyio")


class Project:
    """Its folder has the client `talk.py`, the agent `agent.py`, settings, and tests."""

    def __init__(self, pytester, monkeypatch) -> None:
        self._pytester = pytester
        self._monkeypatch = monkeypatch
        self.path: Path = pytester.path
        self.agent = f"{sys.executable} -I -S {self.path}/agent.py"
        monkeypatch.setenv("GREETING", "live")
        monkeypatch.setenv("STOP", "end_turn")
        (self.path / "agent.py").write_text(AGENT)
        (self.path / "talk.py").write_text(TALK)
        self.settings(acp_agent_command=self.agent)

    def settings(self, **settings: str) -> None:
        settings = {"pythonpath": ".", "addopts": "--strict-markers --strict-config", **settings}
        lines = [f"{name} = {value}\n" for name, value in settings.items()]
        (self.path / "pytest.ini").write_text("[pytest]\n" + "".join(lines))

    def test(self, code: str, path: str = "test_it.py") -> None:
        head = "import os, subprocess, sys\nimport pytest\nfrom talk import *\n"
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(head + textwrap.dedent(code))

    def capture(self, path: str = "recordings/hello.jsonl", transcript: str = HELLO) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode([Header(cwd="/project"), *parse(transcript)]))
        return file

    def run(self, *words: str, grace: float = DEADLINE) -> "Run":
        """Run pytest in this process; `grace` is how long a mock may take to start and to end."""
        self._monkeypatch.setattr(mock, "_GRACE", grace)
        return Run(run_pytest(self._pytester, *_USUAL, *words))

    def run_apart(self, *words: str) -> "Run":
        """Run pytest as a process: it loads what it loads, and its environment is its own."""
        return Run(self._pytester.runpytest_subprocess(*_USUAL, *words, timeout=DEADLINE))


class Run:
    """What a run of pytest has printed."""

    def __init__(self, result) -> None:
        self.text = "\n".join(result.outlines + result.errlines)
        self.status = result.ret
        self._result = result

    @property
    def outcomes(self) -> dict[str, int]:
        return self._result.parseoutcomes()

    def report_of(self, test: str) -> str:
        """Return what is under the headline of a failed test, or of an error in its teardown."""
        after = re.split(rf"^_+ (?:ERROR at \w+ of )?{test} _+$", self.text, flags=re.MULTILINE)
        assert len(after) > 1, self.text
        return re.split(r"^(?:___+ .* ___+|===+ .* ===+)$", after[1], flags=re.MULTILINE)[0].strip()


@pytest.fixture
def project(pytester, monkeypatch):
    found = entry_points(group="pytest11", name="acp_spy")
    assert found, "installed before there was a plugin; again: pip install --editable ."
    return Project(pytester, monkeypatch)
