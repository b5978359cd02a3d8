from xml.etree import ElementTree as ET

from support.reports import RULES, report

from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Severity
from acp_spy.view.findings.junit import render


def suites(*reports):
    return ET.fromstring("".join(render(reports)))


def test_a_capture_is_a_suite_and_a_rule_a_case():
    clean, found = suites(report(findings=[], path="clean.jsonl"), report())
    counts = {"tests": "3", "errors": "0", "skipped": "0"}
    assert clean.attrib == {"name": "clean.jsonl", "failures": "0", **counts}
    assert found.attrib == {"name": "run.jsonl", "failures": "1", **counts}
    assert [case.get("name") for case in found] == [
        "RPC007 unanswered-request",
        "SCH001 unknown-field",
        "LIF003 late-update",
    ]
    assert {case.get("classname") for case in found} == {"run.jsonl"}


def test_what_fails_is_a_failure_and_what_does_not_is_told():
    findings = [
        (3, "RPC007", "never", {"hint": "do"}),
        (1, "RPC007", "late", {}),
        (4, "RPC007", "late", {}),
        (2, "SCH001", "seen", {}),
    ]
    (suite,) = suites(report(findings=findings))
    failure = suite[0].find("failure")
    assert failure.attrib == {"type": "error", "message": "A test has spoken"}
    assert failure.text == (
        "frame 1: error: late (agent must fix), 2 times, also in frame 4\n"
        "frame 3: error: never (agent must fix)\n"
        "  hint: do"
    )
    assert suite[1].find("failure") is None
    assert suite[1].findtext("system-out") == "frame 2: warning: seen (agent must fix)"
    assert list(suite[2]) == []


def test_rules_that_had_no_frame_to_check_are_skipped_and_not_passed():
    (suite,) = suites(report("", [(0, "RPC007", "never started", {})]))
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "2")
    assert suite[0].findtext("failure") == "error: never started (agent must fix)"
    assert suite[1].find("skipped").get("message") == "the capture has no frames"


def test_from_which_severity_on_it_fails_can_be_said():
    findings = [(1, rule.code, "seen", {}) for rule in RULES]

    def failures(fail_on):
        (suite,) = suites(report(findings=findings, fail_on=fail_on))
        return suite.get("failures")

    levels = (None, Severity.ERROR, Severity.WARNING, Severity.NOTE)
    assert [failures(level) for level in levels] == ["0", "1", "2", "3"]


def test_a_rule_that_raised_is_an_error():
    (suite,) = suites(report(findings=(), crashes=[Crash(RULES[1].code, 3, "KeyError('x')")]))
    assert suite.get("errors") == "1"
    assert suite[1].find("error").get("message") == "a bug in acp-spy: KeyError('x')"


def test_what_xml_cannot_hold_is_shown():
    (suite,) = suites(report("", [(1, "RPC007", "\0\x1b[0m<&>\ud800]]>", {})], "a\x00<b>"))
    assert suite.get("name") == "a\\x00<b>"
    assert suite[0].findtext("failure") == (
        "frame 1: error: \\x00\\x1b[0m<&>\\ud800]]> (agent must fix)"
    )
