"""Put what was recorded into recordings/: redacted, with its findings, and the table of the runs."""

import subprocess
from pathlib import Path

from support.processes import ACP_SPY
from support.recordings import FOLDER, findings_file, findings_of, recordings

from .agents import AGENTS
from .results import Run, capture_of, load, table

KEPT = "python-sdk"  # the client whose conversation has all four things in it
README = FOLDER / "README.md"
BEGIN, END = "<!-- the runs -->\n", "<!-- end of the runs -->\n"


def record(runs: list[Run]) -> None:
    """Keep the conversations of these runs."""
    for run in runs:
        if run.client == KEPT:
            redact(capture_of(run.agent, run.client), FOLDER / f"{run.agent}.jsonl")
    write_findings()
    write_table(load(AGENTS))


def redact(capture: Path, recording: Path) -> None:
    """Write a capture anew without secrets, homes and users."""
    options = ["-o", str(recording), "--home", "--user", "--force"]
    subprocess.run([*ACP_SPY, "redact", str(capture), *options], check=True)
    recording.chmod(0o644)


def write_findings() -> None:
    """Write what is found in each recording today; read the difference before you commit it."""
    for recording in recordings():
        findings_file(recording).write_text(findings_of(recording))


def write_table(runs: list[Run]) -> None:
    """Write the table of the newest runs of all agents into the README."""
    before, _, rest = README.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}{table(runs)}\n{END}{after}")
