"""SARIF 2.1.0: what code hosts and editors read. A location is a line of the capture file."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from acp_spy import __version__
from acp_spy.lint.rule import Rule
from acp_spy.view.findings.report import Mistake, Report
from acp_spy.view.json_output import to_json

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the document, in one piece: one run, with one result for each mistake."""
    rules: dict[str, Rule] = {}
    results = []
    for report in reports:
        rules |= {rule.code: rule for rule in report.rules}
        results += [_result(report, mistake) for mistake in report.mistakes]
    indices = {code: index for index, code in enumerate(rules)}
    for result in results:
        result["ruleIndex"] = indices[result["ruleId"]]
    driver = {
        "name": "acp-spy",
        "version": __version__,
        "rules": [_descriptor(rule) for rule in rules.values()],
    }
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    yield to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _descriptor(rule: Rule) -> dict[str, Any]:
    what, why, instead = rule.sections
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": what},
        "help": {
            "text": "\n\n".join(filter(None, (why, instead, rule.spec))) or what,
            "markdown": rule.explanation + (f"\n\n{rule.spec}" if rule.spec else ""),
        },
        "helpUri": rule.url,
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _result(report: Report, mistake: Mistake) -> dict[str, Any]:
    found = mistake.first
    more = f"\n\n{mistake.follows}" if mistake.follows else ""
    more += f"\n\nhint: {found.hint}" if found.hint else ""
    location = _location(report, found.seq)
    if found.path:
        location["logicalLocations"] = [{"fullyQualifiedName": found.path}]
    result: dict[str, Any] = {
        "ruleId": found.code,
        "level": found.severity.value,
        "message": {"text": _without_links(f"{found.text} ({found.must_fix}){more}")},
        "locations": [location],
        "occurrenceCount": mistake.count,
        "properties": {
            "frame": found.seq,
            "blame": found.blame.value,
            "places": mistake.places,
            **({"by": found.by} if found.by else {}),
        },
    }
    if found.see is not None:
        seen = _location(report, found.see)
        result["relatedLocations"] = [{**seen, "message": {"text": f"see frame {found.see}"}}]
    return result


def _without_links(text: str) -> str:
    """Return a message in which nothing is a link: in SARIF `[words](address)` is, in any text."""
    return text.replace("](", r"]\x28")


def _location(report: Report, seq: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(report.name)},
            "region": {"startLine": report.line_of(seq)},
        }
    }


def _uri(path: str) -> str:
    if os.path.isabs(path):
        return Path(path).as_uri()
    return quote(os.fsencode(os.path.normpath(path)))
