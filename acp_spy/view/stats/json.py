"""The statistics as one JSON document, for programs: what was never measured is null."""

from typing import Any

import msgspec

from acp_spy.view.json_output import to_json
from acp_spy.view.stats.model import Stats


def render(path: str, state: str, stats: Stats) -> str:
    """Return the document."""
    return to_json(document(path, state, stats))


def document(path: str, state: str, stats: Stats) -> dict[str, Any]:
    """Return the same as a JSON value."""
    return {"path": path, "state": state, **msgspec.to_builtins(stats)}
