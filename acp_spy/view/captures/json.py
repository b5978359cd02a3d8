"""The captures of a folder as one JSON document, for programs."""

from collections.abc import Sequence
from typing import Any

from acp_spy.view.captures.summary import PeerName, Summary
from acp_spy.view.json_output import to_json

_SEVERITIES = ("error", "warning", "note")


def render(folder: str, summaries: Sequence[Summary]) -> str:
    """Return the document: what is not known is null, and nothing is left out."""
    return to_json({"folder": folder, "captures": [document(summary) for summary in summaries]})


def document(summary: Summary) -> dict[str, Any]:
    """Return what is said of one capture, as a JSON value."""
    counts = summary.findings
    return {
        "path": str(summary.path),  # as plain text, whatever its type
        "started": summary.started.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "state": summary.state.value,
        "agent": _peer(summary.agent),
        "client": _peer(summary.client),
        "frames": summary.frames,
        "findings": None
        if counts is None
        else {severity: counts.get(severity, 0) for severity in _SEVERITIES},
        "seconds": summary.seconds,
        "status": summary.status,
        "reason": summary.reason or None,
        "bytes": summary.size,
        "diagnosis": summary.diagnosis and summary.diagnosis.as_json(),
    }


def _peer(named: PeerName) -> dict[str, str | None]:
    return {"name": named.name or None, "version": named.version or None}
