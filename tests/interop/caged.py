"""
Inside the cage: each agent with each client, without us, through us, and against replay.

usage: python -m interop.caged AGENT...      (started by `python -m tests.interop`)

What came of it is in the lab's folder `out`: AGENT.json, and the captures.
"""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from datetime import UTC, datetime

from . import cage
from .agents import AGENTS, PORT, Agent
from .model.server import server
from .peers import CLIENTS, NODE, converse, converse_with_mock, drive, spied
from .results import OUT, Run, capture_of, lacks, save

USED = ("python-sdk", "acpx", "acpx-interrupted")
# Seconds for a conversation: heavy agents take 15 to start, and far more on a busy machine.
PATIENCE = 300.0


def main(names: list[str]) -> None:
    cage.move_in()
    OUT.mkdir(parents=True, exist_ok=True)
    for agent in (AGENTS[name] for name in names):
        scripted = server(PORT, [agent.read, agent.mend], OUT / f"{agent.name}.log")
        threading.Thread(target=scripted.serve_forever, daemon=True).start()
        runs = []
        for client in USED:
            print(f"{agent.name} with {client} ...", file=sys.stderr, flush=True)
            runs.append(Trial(agent, client).run())
        scripted.shutdown()
        scripted.server_close()
        save(agent.name, runs)


class Trial:
    """One agent and one client, four times."""

    def __init__(self, agent: Agent, client: str) -> None:
        self.agent, self.client = agent, client
        self.capture = capture_of(agent.name, client)
        self.capture.unlink(missing_ok=True)
        self.command = agent.command(NODE)
        self.date = datetime.now(UTC).date().isoformat()
        self.problems: list[str] = []

    def run(self) -> Run:
        direct = self._try("by itself", lambda: self._talk(self.command))
        proxied = self._try("recorded", lambda: self._talk(spied(self.capture, self.command)))
        if direct and lacks(direct, self.client):
            self.problems.append(f"by itself: lacks {', '.join(lacks(direct, self.client))}")
        if direct != proxied:
            self.problems.append(f"recorded: not the same\n- {direct}\n+ {proxied}")
        mocked = self._try("mock agent", self._with_mock_agent) if proxied else None
        if proxied and mocked != as_mocked(proxied):
            self.problems.append(f"mock agent: not the same\n- {as_mocked(proxied)}\n+ {mocked}")
        return Run(
            agent=self.agent.name,
            version=self.agent.version,
            client=self.client,
            date=self.date,
            same=direct is not None and direct == proxied,
            mock_agent=proxied is not None and mocked == as_mocked(proxied),
            mock_client=bool(proxied and self._try("mock client", self._with_mock_client)),
            problems=self.problems,
        )

    def _try(self, what: str, attempt: Callable):
        try:
            return attempt()
        except (AssertionError, subprocess.TimeoutExpired, OSError, ValueError) as error:
            self.problems.append(f"{what}: {type(error).__name__}: {error}")
            return None

    def _talk(self, command: list[str]) -> dict:
        self._prepare()
        client = CLIENTS[self.client]
        noticed = converse(client, cage.PROJECT, command, PATIENCE, self._environment())
        return {**noticed, "notes": (cage.PROJECT / "notes.txt").read_text()}

    def _with_mock_agent(self) -> dict:
        self._prepare()
        where = cage.PROJECT, self.capture
        noticed = converse_with_mock(CLIENTS[self.client], *where, PATIENCE, self._environment())
        return as_mocked(noticed)

    def _with_mock_client(self) -> bool:
        self._prepare()
        done = drive(self.capture, cage.PROJECT, self.command, PATIENCE, self._environment())
        if done.returncode:
            self.problems.append(f"mock client: status {done.returncode}\n{done.stderr[-6000:]}")
        return done.returncode == 0

    def _prepare(self) -> None:
        cage.clear()
        cage.tidy()
        for name, text in self.agent.files.items():
            path = cage.HOME / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def _environment(self) -> dict[str, str]:
        xdg = {f"XDG_{name}_HOME": "" for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        return {**xdg, "HOME": str(cage.HOME), **self.agent.environment}


def as_mocked(noticed: dict) -> dict:
    """Return what is left to notice if the agent is a mock: files that it wrote itself are not."""
    # A mock cannot be killed by the signal that killed the agent: it ends with 0.
    return {**noticed, "status": max(0, noticed["status"]), "notes": None}


if __name__ == "__main__":
    main(sys.argv[1:])
