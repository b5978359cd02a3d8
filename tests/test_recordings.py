"""
The recordings of real agents: safe to publish, and all of acp-spy can work on them.

That they can be judged, shown at any width, counted, and played by replay as either side is in the
tests over all captures as well: tests/test_captures.py and tests/replay/test_captures.py.
"""

import json
import re
import subprocess
from collections import Counter
from itertools import cycle, product

import pytest
from interop.agents import AGENTS
from support.captures import stream
from support.effort import some_of
from support.processes import ACP_SPY, DEADLINE
from support.recordings import FOLDER, findings_file, findings_of, recordings
from support.replays import bytes_peer

from acp_spy import Peer, load
from acp_spy.cli.app import run_app
from acp_spy.units import counted

README = (FOLDER / "README.md").read_text()
SEVERITIES = ("error", "warning", "note")
each = pytest.mark.parametrize("recording", recordings(), ids=lambda path: path.stem)
# As a process. Without one, all are played in every run by tests/replay/test_captures.py.
a_few = pytest.mark.parametrize(
    "recording", some_of(recordings(), *recordings()[:1]), ids=lambda path: path.stem
)


def test_there_is_one_of_each_real_agent():
    assert {path.stem for path in recordings()} >= set(AGENTS)


def test_nothing_in_them_looks_like_a_secret_or_a_person(capfd):
    files = [str(path) for path in recordings()]
    assert run_app(["redact", "--check", "--home", *files]) == 0, capfd.readouterr().err


@each
def test_it_is_small_and_comes_from_no_machine_in_particular(recording):
    assert recording.stat().st_size < 100_000
    assert load(recording).header.cwd == "/home/dev/project"
    places = re.findall(rb'(?<=")/(?:tmp|work|root|opt)\b[^"]*', recording.read_bytes())
    assert places == []


@each
def test_it_has_a_turn_a_tool_call_leave_and_a_cancelled_turn(recording):
    messages = [json.loads(frame.raw) for frame in load(recording).frames]
    methods = [message.get("method") for message in messages]
    assert {"session/prompt", "session/request_permission", "session/cancel"} <= set(methods)
    updates = [message["params"]["update"] for message in messages if is_update(message)]
    assert "tool_call" in [update["sessionUpdate"] for update in updates]
    results = [message["result"] for message in messages if message.get("result")]
    stops = [result["stopReason"] for result in results if "stopReason" in result]
    assert stops == ["end_turn", "cancelled"]


def is_update(message):
    return message.get("method") == "session/update"


@each
def test_what_is_found_in_it_is_what_is_expected(recording):
    """If a rule has changed on purpose: `python -m tests.interop --findings`, and read the diff."""
    assert findings_of(recording) == findings_file(recording).read_text()


def findings_in(recording):
    """Return the findings that are expected."""
    return [json.loads(line) for line in findings_file(recording).read_text().splitlines()]


def test_every_finding_has_been_judged_in_the_readme():
    found = {
        (recording.stem, finding["code"])
        for recording in recordings()
        for finding in findings_in(recording)
    }
    judged = re.findall(r"^\| (\S+) \| \[([A-Z]{3}\d{3})\]", README, re.MULTILINE)
    assert len(judged) == len(set(judged))
    assert set(judged) == found


def test_every_recording_is_in_the_readme_with_its_version_and_how_much_is_found():
    for agent in AGENTS.values():
        findings = findings_in(FOLDER / f"{agent.name}.jsonl")
        count = Counter(found["severity"] for found in findings if found["blame"] == "agent")
        output = ", ".join(counted(count[level], level) for level in SEVERITIES if count[level])
        package = agent.package.partition(" ")[2]
        begin = f"| [{agent.name}]({agent.name}.jsonl) | {package} {agent.version} | "
        (line,) = [line for line in README.splitlines() if line.startswith(begin)]
        assert line.endswith(f" | {output} |")


FORMS = ["text", "html", "markdown", "mermaid", "json"]
# In every run, each recording in one format; in text, all are shown by tests/test_captures.py.
VIEWED = list(zip(recordings(), cycle(FORMS)))


@pytest.mark.parametrize(
    "viewed",
    some_of(product(recordings(), FORMS), *VIEWED),
    ids=lambda viewed: "-".join([viewed[0].stem, viewed[1]]),
)
def test_it_can_be_viewed(viewed, capfd):
    recording, form = viewed
    assert run_app(["view", str(recording), "--format", form]) == 0
    out, err = capfd.readouterr()
    assert "session/request_permission" in out
    assert err == ""


@each
def test_its_figures_can_be_told(recording, capfd):
    assert run_app(["stats", str(recording), "--format", "json"]) == 0
    out, err = capfd.readouterr()
    assert (json.loads(out)["frames"], err) == (len(load(recording).frames), "")


@a_few
def test_the_mock_agent_says_its_bytes_to_the_recorded_client(recording):
    mock = [*ACP_SPY, "replay", "agent", str(recording)]
    done = subprocess.run(
        mock, input=stream(recording, "client"), capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.stdout == stream(recording, "agent")
    assert (done.stderr, done.returncode) == (stream(recording, "stderr"), 0)


@a_few
def test_the_mock_client_is_satisfied_by_the_recorded_agent(recording, tmp_path):
    frames = [(frame.sender, frame.raw) for frame in load(recording).frames]
    agent = bytes_peer(frames, Peer.AGENT, tmp_path / "steps")
    mock = [*ACP_SPY, "replay", "client", str(recording), "--no-map-cwd", "--", *agent]
    done = subprocess.run(mock, capture_output=True, timeout=DEADLINE, check=False)
    output = f"acp-spy: no divergence from {recording.name}\n".encode()
    assert (done.stderr, done.returncode) == (output, 0)
