"""JUnit XML: a capture is a test suite, and each rule that was asked is a test case in it."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator

from acp_spy.lint.rule import Rule
from acp_spy.view.findings.report import Mistake, Report
from acp_spy.wire.inert import inert

_COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def render(reports: Iterable[Report]) -> Iterator[str]:
    """Give the document, in one piece."""
    top = ET.Element("testsuites", name="acp-spy")
    for report in reports:
        top.append(_suite(report))
    ET.indent(top)
    yield f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(top, encoding='unicode')}\n"


def _suite(report: Report) -> ET.Element:
    suite = ET.Element("testsuite", name=inert(report.name))
    for rule in report.rules:
        suite.append(_case(report, rule))
    for counted, tag in _COUNTED.items():
        suite.set(counted, str(sum(1 for _ in suite.iter(tag))))
    return suite


def _case(report: Report, rule: Rule) -> ET.Element:
    case = ET.Element("testcase", classname=inert(report.name), name=f"{rule.code} {rule.name}")
    mistakes = [mistake for mistake in report.mistakes if mistake.first.code == rule.code]
    failures = [mistake for mistake in mistakes if report.fails(mistake.first)]
    for crash in report.crashes:
        if crash.code == rule.code:
            ET.SubElement(case, "error", message=inert(f"a bug in acp-spy: {crash.error}"))
    if failures:
        # One element for all: most readers look at the first only.
        severity = failures[0].first.severity.value
        failure = ET.SubElement(case, "failure", type=severity, message=rule.summary)
        failure.text = "\n".join(map(_text, failures))
    if mild := [mistake for mistake in mistakes if not report.fails(mistake.first)]:
        ET.SubElement(case, "system-out").text = "\n".join(map(_text, mild))
    if not report.frames and not len(case):
        ET.SubElement(case, "skipped", message="the capture has no frames")
    return case


def _text(mistake: Mistake) -> str:
    found = mistake.first
    place = f"frame {found.seq}: " if found.seq else ""
    text = f"{place}{found.severity.value}: {found.text} ({found.must_fix})"
    text += f", {mistake.others}" if mistake.others else ""
    more = [mistake.follows] if mistake.follows else []
    more += [f"hint: {found.hint}"] if found.hint else []
    return "\n  ".join(map(inert, (text, *more)))
