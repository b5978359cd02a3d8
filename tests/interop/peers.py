"""Clients and agents that need no model, and how one is set on the other."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.processes import ACP_SPY, DEADLINE

from .lab import node_folder

PROGRAMS = Path(__file__).parent / "programs"
NODE = str(node_folder() / "node_modules" / ".bin" / "node")

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


def converse(client: list[str], cwd: Path, command: list[str], within: float = DEADLINE) -> dict:
    """Let a client talk to the agent that `command` starts; return what it noticed."""
    bin_folder = str(Path(NODE).parent)
    done = subprocess.run(
        [*client, str(cwd), *command],
        env={
            **os.environ,
            "INTEROP_NODE": str(node_folder()),
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
        },
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=within,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"{client[1:]} has failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout)


def spied(capture: Path, command: list[str]) -> list[str]:
    return [*ACP_SPY, "-o", str(capture), "--", *command]


def mock_agent(capture: Path, *options: str) -> list[str]:
    return [*ACP_SPY, "replay", "agent", str(capture), *options]


def drive(capture: Path, cwd: Path, command: list[str], within: float = DEADLINE):
    """Play the capture's client to the agent that `command` starts."""
    return subprocess.run(
        [*ACP_SPY, "replay", "client", str(capture), "--", *command],
        cwd=cwd,
        env={**os.environ, "INTEROP_NODE": str(node_folder())},
        capture_output=True,
        text=True,
        timeout=within,
        check=False,
    )
