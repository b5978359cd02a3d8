"""What came of a run: one row for each agent and client, and the table of them."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from .lab import LAB

OUT = LAB / "out"


def file_of(agent: str) -> Path:
    """Return where the results of one agent are kept."""
    return OUT / f"{agent}.json"


def capture_of(agent: str, client: str) -> Path:
    """Return where the capture of a run is."""
    return OUT / f"{agent}-{client}.jsonl"


@dataclass(frozen=True)
class Run:
    """One agent with one client. A run is good if all three are true."""

    agent: str
    version: str
    client: str
    date: str
    same: bool  # recorded, both noticed what they notice without us
    mock_agent: bool  # the capture, as mock agent, satisfies the client
    mock_client: bool  # the capture, as mock client, satisfies the agent
    problems: list[str]

    @property
    def is_good(self) -> bool:
        return self.same and self.mock_agent and self.mock_client and not self.problems


def lacks(noticed: dict, client: str) -> list[str]:
    """Return what of the four things did not happen in a conversation where it should have."""
    work, count = {"acpx": (0, None), "acpx-interrupted": (None, 0)}.get(client, (0, 1))
    missing = []
    if work is not None:
        turn = noticed["turns"][work]
        happened = {
            "a prompt turn that ends": turn["stop"] == "end_turn" and "All done." in turn["said"],
            "a tool call": any(call.get("status") == "completed" for call in turn["calls"]),
            "a permission request": bool(turn["asked"]),
        }
        missing += [what for what, did in happened.items() if not did]
    if count is not None and noticed["turns"][count]["stop"] != "cancelled":
        missing.append("a cancelled turn")
    return missing


def load(agents: Iterable[str]) -> list[Run]:
    """Return the newest runs of these agents, so far as there are any."""
    files = [path for path in map(file_of, agents) if path.exists()]
    return [Run(**row) for path in files for row in json.loads(path.read_text())]


def save(agent: str, runs: list[Run]) -> None:
    """Keep the runs of an agent."""
    file_of(agent).write_text(json.dumps([asdict(run) for run in runs], indent=1))


def table(runs: list[Run]) -> str:
    """Return the runs as a table for the terminal and for Markdown alike."""
    head = ["agent", "version", "client", "date", "transparent", "mock agent", "mock client"]
    rows = [
        [
            run.agent,
            run.version,
            run.client,
            run.date,
            *("yes" if good else "NO" for good in (run.same, run.mock_agent, run.mock_client)),
        ]
        for run in runs
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in lines
    )
