"""
One JSON document, for programs: each mistake once, with all its places; absent fields are left out.

What follows from a mistake comes after it, with `because`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.view.findings.report import Mistake, Report
from acp_spy.view.json_output import to_json


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the document, in one piece: `{"captures": [{"path": ..., "findings": [...]}]}`."""
    yield to_json({"captures": [document(report) for report in reports]})


def document(report: Report) -> dict[str, Any]:
    """Return what is said of one capture, as a JSON value."""
    return {
        "path": report.name,
        "frames": report.frames,
        "dialect": dict(report.dialect),
        "diagnosis": report.diagnosis and report.diagnosis.as_json(),
        "findings": [
            _finding(each)
            for mistake in report.mistakes
            for each in (mistake, *mistake.consequences)
        ],
    }


def _finding(mistake: Mistake) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(mistake.first)
    return {**fields, "count": mistake.count, "places": mistake.places}
