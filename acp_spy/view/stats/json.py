"""The statistics as one JSON document, for programs: what was never measured is null."""

import msgspec

from acp_spy.view.json_output import to_json
from acp_spy.view.stats.model import Stats


def render(path: str, state: str, stats: Stats) -> str:
    """Return the document."""
    return to_json({"path": path, "state": state, **msgspec.to_builtins(stats)})
