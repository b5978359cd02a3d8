"""The clients, two agents that need no model, and how one is set on the other."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from support.processes import ACP_SPY, DEADLINE

from .lab import node_folder, node_program

PROGRAMS = Path(__file__).parent / "programs"
NODE = str(node_program())

# The words before CWD COMMAND [ARG]..., of programs that print what they noticed.
CLIENTS = {
    "python-sdk": [sys.executable, str(PROGRAMS / "client.py")],
    "typescript-sdk": [NODE, str(PROGRAMS / "client.mjs")],
    "acpx": [sys.executable, str(PROGRAMS / "acpx.py"), "work"],
    "acpx-interrupted": [sys.executable, str(PROGRAMS / "acpx.py"), "count"],
}
AGENTS = {
    "python-sdk": [sys.executable, str(PROGRAMS / "agent.py")],
    "typescript-sdk": [NODE, str(PROGRAMS / "agent.mjs")],
}


def converse(
    client: list[str],
    cwd: Path,
    command: list[str],
    within: float = DEADLINE,
    environment: Mapping[str, str] | None = None,
) -> dict:
    """Let a client talk to the agent that `command` starts; return what it noticed."""
    done = _run([*client, str(cwd), *command], cwd, within, environment)
    if done.returncode:
        raise AssertionError(f"{client[1:]} has failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout)


def drive(
    capture: Path,
    cwd: Path,
    command: list[str],
    within: float = DEADLINE,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess:
    """Play the capture's client to the agent that `command` starts."""
    patient = ["--timeout", str(within)]
    replay = [*ACP_SPY, "replay", "client", str(capture), *patient, "--", *command]
    return _run(replay, cwd, within, environment)


def spied(capture: Path, command: list[str]) -> list[str]:
    return [*ACP_SPY, "-o", str(capture), "--", *command]


def mock_agent(capture: Path, *options: str) -> list[str]:
    return [*ACP_SPY, "replay", "agent", str(capture), *options]


def converse_with_mock(
    client: list[str],
    cwd: Path,
    capture: Path,
    within: float = DEADLINE,
    environment: Mapping[str, str] | None = None,
) -> dict:
    """Let a client talk to the mock agent of a capture, which has to be content with it."""
    verdict = capture.with_suffix(".verdict")
    verdict.unlink(missing_ok=True)
    mock = mock_agent(capture, "--match", "params", "--verdict", str(verdict))
    noticed = converse(client, cwd, mock, within, environment)
    said = [json.loads(line) for line in verdict.read_text().splitlines()]
    kinds = [line["type"] for line in said]
    if "complete" not in kinds or {"divergence", "error"} & set(kinds):
        raise AssertionError(f"the mock agent is not content: {said}")
    return noticed


def _run(command: list[str], cwd: Path, within: float, environment: Mapping[str, str] | None):
    path = f"{Path(NODE).parent}:{os.environ['PATH']}"
    inherited = {**os.environ, "INTEROP_NODE": str(node_folder()), "PATH": path}
    # Not a pipe: some agents leave a process behind, which would keep it open.
    with tempfile.TemporaryFile("w+", errors="replace") as stderr:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**inherited, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            timeout=within,
            check=False,
        )
        stderr.seek(0)
        done.stderr = stderr.read()
    return done
