"""Whatever is wrong with trio: bytes are carried and recorded to the agent's end, and it is said."""

import random
import subprocess

import pytest
from support import effort
from support.captures import live_findings, stream
from support.processes import AT_ONCE_BY_TRIO, changed, python, starter, without_trio
from support.replays import RICH, capture_of
from support.sources import ROOT

from acp_spy import Header, Peer
from acp_spy.capture.codec import encode
from acp_spy.capture.files import load
from acp_spy.capture.transcript import parse

# A broken request, so that there is something to find; then bytes that are nothing at all.
BROKEN = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\n'
RANDOM = random.Random(9).randbytes(300_000)  # more than two pipes hold
BOTH_WAYS = python(
    """
    import os, sys
    os.write(2, b"starting\\n")
    while chunk := os.read(0, 65536):
        while chunk:
            chunk = chunk[os.write(1, chunk):]
    os._exit(7)
    """
)
FAILS = "import acp_spy.engine.work as l\ndef fail(*_): raise {}\nl.{} = fail"
WRONG = {
    "removed": (
        "import sys; sys.modules['trio'] = None",
        "import of trio halted; None in sys.modules",
    ),
    "not what it was": (
        "import sys, types; sys.modules['trio'] = types.ModuleType('trio')",
        "No module named 'trio.lowlevel'; 'trio' is not a package",
    ),
    "out of memory": (FAILS.format("MemoryError", "import_module"), "out of memory"),
    "exits": (FAILS.format("SystemExit('not here')", "import_module"), "not here"),
    "no thread": (
        FAILS.format("RuntimeError('no new thread')", "start_new_thread"),
        "no new thread",
    ),
    "no memory for a thread": (FAILS.format("MemoryError", "start_new_thread"), "out of memory"),
    "no descriptor": (
        "import trio\ndef fail(*_): raise OSError(24, 'Too many open files')\ntrio.run = fail",
        "Too many open files",
    ),
}


@pytest.mark.parametrize(("change", "why"), WRONG.values(), ids=WRONG.keys())
def test_traffic_and_recording_do_not_depend_on_trio(spy, change, why):
    spy.program = changed(f"{change}\n{AT_ONCE_BY_TRIO}")
    peer = spy(BOTH_WAYS)
    sent = BROKEN + RANDOM
    out, err, status = peer.converse(sent)
    assert (out, status) == (sent, 7)
    assert sorted(err.splitlines(keepends=True)) == [without_trio(why), b"starting\n"]
    assert stream(peer.capture, "client") == stream(peer.capture, "agent") == sent
    capture = load(peer.capture)
    assert (capture.exit.status, capture.exit.undelivered) == (7, {})


def test_the_findings_come_when_it_is_over(spy):
    spy.program = changed(f"{WRONG['removed'][0]}\n{AT_ONCE_BY_TRIO}")
    peer = spy(BOTH_WAYS, "-v")
    _, err, _ = peer.converse(BROKEN)
    assert b"frame 1: error " in err
    assert "RPC015" in {finding["code"] for finding in live_findings(peer.capture)}


@pytest.mark.parametrize("wrong", effort.some_of(WRONG, "removed", "no thread"))
def test_a_mock_agent_plays_on(tmp_path, wrong):
    change, _ = WRONG[wrong]
    capture = tmp_path / "run.jsonl"
    capture.write_bytes(encode([Header(cwd="/project"), *parse(RICH)]))
    sent, received = (
        [frame.raw for frame in capture_of(RICH).frames if frame.sender is peer] for peer in Peer
    )
    program = changed(f"{change}\n{AT_ONCE_BY_TRIO}")
    with starter(tmp_path, proxied=False) as start:
        mock = start([*program, "replay", "agent", str(capture), "--strict"])
        mock.send(sent[0])
        first = mock.read_line()  # then there is a silence
        out, err, status = mock.converse(b"".join(sent[1:]))
    assert (first + out, status) == (b"".join(received), capture_of(RICH).exit.status), err


# Commands that cannot do without.
NEED_IT = [
    "doctor -- true",
    "replay client fixtures/example.jsonl -- true",
    "http --target http://127.0.0.1:9/acp",
    "view --serve --no-open",
    "-- http://127.0.0.1:9/acp",
]


@pytest.mark.parametrize("command", NEED_IT)
def test_a_command_that_cannot_do_without_says_so(command):
    program = [*changed(WRONG["removed"][0]), *command.split()]
    done = subprocess.run(program, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: cannot load a module: import of trio halted; None in sys.modules\n"
        "hint: install acp-spy again, with its dependencies\n"
    )


@pytest.mark.parametrize("command", effort.some_of(NEED_IT, NEED_IT[0], NEED_IT[-1]))
def test_so_it_does_with_a_damaged_one(command, tmp_path):
    (tmp_path / "trio.py").write_text("no Python\n")
    change = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    program = [*changed(change), *command.split()]
    done = subprocess.run(program, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: cannot load a module: invalid syntax (trio.py, line 1)")
