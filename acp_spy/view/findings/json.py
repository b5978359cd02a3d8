"""One JSON document, for programs: every place of every mistake, absent fields left out."""

from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.view.findings.report import Report
from acp_spy.view.json_output import to_json


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the document, in one piece: `{"captures": [{"path": ..., "findings": [...]}]}`."""
    captures = [
        {
            "path": report.path,
            "frames": report.frames,
            "dialect": dict(report.dialect),
            "diagnosis": report.diagnosis and report.diagnosis.as_json(),
            "findings": msgspec.to_builtins(report.findings),
        }
        for report in reports
    ]
    yield to_json({"captures": captures})
