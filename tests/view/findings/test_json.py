import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.reports import report

from acp_spy.lint.rule import Because
from acp_spy.view.findings.json import render
from acp_spy.view.json_output import to_json


def test_the_document_is_this():
    findings = [
        (3, "RPC007", "seen", {"path": "/id", "see": 1, "hint": "do", "t": 0.5}),
        (2, "SCH001", "seen", {"t": 0.25}),
        (4, "SCH001", "seen", {"t": 0.75}),
        (5, "SCH001", "seen", {"t": 0.75, "because": Because(3, "RPC007")}),
    ]
    reports = [report(findings=findings), report("", [], "clean.jsonl")]
    assert json.loads("".join(render(reports))) == {
        "captures": [
            {
                "path": "run.jsonl",
                "frames": 3,
                "dialect": {"client": "acp", "agent": "acp"},
                "diagnosis": None,
                "findings": [
                    {
                        "seq": 2,
                        "code": "SCH001",
                        "name": "unknown-field",
                        "severity": "warning",
                        "blame": "agent",
                        "text": "seen",
                        "t": 0.25,
                        "count": 2,
                        "places": [2, 4],
                    },
                    {
                        "seq": 3,
                        "code": "RPC007",
                        "name": "unanswered-request",
                        "severity": "error",
                        "blame": "agent",
                        "text": "seen",
                        "path": "/id",
                        "see": 1,
                        "hint": "do",
                        "t": 0.5,
                        "count": 1,
                        "places": [3],
                    },
                    {
                        "seq": 5,
                        "code": "SCH001",
                        "name": "unknown-field",
                        "severity": "warning",
                        "blame": "agent",
                        "text": "seen",
                        "t": 0.75,
                        "because": {"seq": 3, "code": "RPC007"},
                        "count": 1,
                        "places": [5],
                    },
                ],
            },
            {
                "path": "clean.jsonl",
                "frames": 0,
                "dialect": {"client": "acp", "agent": "acp"},
                "diagnosis": None,
                "findings": [],
            },
        ]
    }


def test_no_capture_is_a_document_too():
    assert json.loads("".join(render([]))) == {"captures": []}


def test_letters_stay_readable():
    assert to_json({"a": "é 漢字"}) == '{\n  "a": "é 漢字"\n}\n'


@given(st.text(st.characters(codec=None, exclude_categories=())))
@settings(deadline=None, derandomize=True)
def test_what_acts_is_escaped_and_nothing_is_lost(text):
    shown = to_json([text])
    assert shown.replace("\n", "").isprintable()
    assert json.loads(shown) == [text]
