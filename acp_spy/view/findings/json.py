"""One JSON document, for programs: every place of every mistake, absent fields left out."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_spy.view.findings.report import Report

_UNPRINTABLE = re.compile(r"[^\n -~]")


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the document, whole: `{"captures": [{"path": ..., "findings": [...]}]}`."""
    captures = [
        {
            "path": report.path,
            "frames": report.frames,
            "dialect": dict(report.dialect),
            "findings": msgspec.to_builtins(report.findings),
        }
        for report in reports
    ]
    yield to_json({"captures": captures})


def to_json(value: Any) -> str:
    """
    Return `value` as JSON for a terminal as well as for a program.

    What a terminal would obey stands in strings only, and there it can be escaped.
    """
    return escape_unprintable(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def escape_unprintable(text: str) -> str:
    """Return JSON text that means the same, with what a terminal would obey escaped."""
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]
