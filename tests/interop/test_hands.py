"""Scripts, faults and breakpoints between the client and the agent of the official Python SDK."""

import json
import os
import subprocess
import sys
import time

import pytest
from interop.peers import AGENTS, CLIENTS, converse
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy import check, load
from acp_spy.capture.control_path import control_paths
from acp_spy.capture.records import Delivery
from acp_spy.middleware.holds.client import connect

CLIENT, AGENT = [*CLIENTS["python-sdk"], "--prompt", "work"], AGENTS["python-sdk"]
PERMISSION = "session/request_permission"
SCRIPT = f"""
def request(event):
    if event.method == "{PERMISSION}":
        option = event.params["options"][0]["optionId"]
        event.answer({{"outcome": {{"outcome": "selected", "optionId": option}}}})
"""


@pytest.mark.long
def test_a_script_and_faults(tmp_path):
    """The client is not asked, gets pieces of lines, and notices nothing else."""
    (tmp_path / "allow.py").write_text(SCRIPT)
    (tmp_path / "notes.txt").write_text("Wool.")
    faults = ["slice:4", "merge:2 from:agent", "jitter:5ms", "duplicate kind:notification p:0"]
    words = [
        "-s",
        "allow.py",
        *(word for spec in faults for word in ("--fault", spec)),
        "--seed",
        "7",
    ]
    spied = [*ACP_SPY, "--no-check", "-o", "run.jsonl", *words, "--", *AGENT]
    (turn,) = converse(CLIENT, tmp_path, spied)["turns"]
    assert (turn["stop"], turn["asked"]) == ("end_turn", [])
    assert [each["status"] for each in turn["calls"]] == ["completed"]
    assert turn["files"] == [["read", str(tmp_path / "notes.txt")]]
    records = load(tmp_path / "run.jsonl").records
    done = {(each.by, each.action) for each in records if isinstance(each, Delivery)}
    assert ("script allow.py", "answered") in done
    assert any("fault slice:4" in by for by, _ in done)
    assert not [each for each in check(records) if each.code in ("LIF115", "RPC006")]


@pytest.mark.long
def test_a_breakpoint_and_why_the_chat_hangs(tmp_path):
    """While the permission request is held, `why` says so; when it is released, all goes on."""
    capture, go = tmp_path / "run.jsonl", tmp_path / "go"
    (tmp_path / "notes.txt").write_text("Wool.")
    # The agent starts when the viewer is attached: nothing is held before.
    waits = "import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
    waits += "os.execv(sys.argv[2], sys.argv[2:])"
    agent = [sys.executable, "-c", waits, str(go), *AGENT]
    hold = ["--intercept", f"method:{PERMISSION} kind:request", "--hold-timeout", "1h"]
    spied = [*ACP_SPY, "--no-check", "-o", str(capture), *hold, "--", *agent]
    client = subprocess.Popen(
        [*CLIENT, str(tmp_path), *spied], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        end = time.monotonic() + DEADLINE
        while not any(map(os.path.exists, control_paths(str(capture)))):
            assert time.monotonic() < end
            time.sleep(0.01)
        with connect(str(capture)) as viewer:
            viewer.ask("attach")
            go.touch()
            held = viewer.next_event()
            assert (held["event"], held["method"]) == ("held", PERMISSION)
            found = json.loads(acp_spy("why", capture, "--format", "json").out)["diagnosis"]
            assert (found["kind"], found["blame"]) == ("frame-held", None)
            assert f"`acp-spy hold release {held['seq']}`" in found["hint"]
            listed = acp_spy("hold", "release", "--capture", capture)
            assert listed.out == f"released frame {held['seq']}\n"
            out, _ = client.communicate(timeout=DEADLINE)
    finally:
        client.kill()
        client.communicate()
    (turn,) = json.loads(out)["turns"]
    assert turn["asked"]
    assert turn["stop"] == "end_turn"
    assert (
        json.loads(acp_spy("why", capture, "--format", "json").out)["diagnosis"]["kind"] == "fine"
    )
