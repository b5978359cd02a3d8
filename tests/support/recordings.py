"""The recordings: which there are, and what is expected to be found in each."""

import json
from pathlib import Path

from support.in_process import acp_spy

FOLDER = Path(__file__).parents[2] / "recordings"
FINDINGS = ".findings.jsonl"


def recordings() -> list[Path]:
    return [path for path in sorted(FOLDER.glob("*.jsonl")) if not path.name.endswith(FINDINGS)]


def findings_file(recording: Path) -> Path:
    return recording.with_name(recording.stem + FINDINGS)


def findings_of(recording: Path) -> str:
    """Return what `check --format json` finds now, one finding a line."""
    done = acp_spy("check", "--format", "json", "--fail-on", "never", recording, cwd=FOLDER)
    (report,) = json.loads(done.out)["captures"]
    return "".join(json.dumps(finding, ensure_ascii=False) + "\n" for finding in report["findings"])
