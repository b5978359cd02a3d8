import pytest
from support.rules import a_rule

from acp_spy.lint.rule import Remark
from acp_spy.view.rule_text import (
    description,
    explanation,
    findings_of_bad,
    listing,
    paragraphs,
)

BAD = """
    -> {"id": 1, "method": "x"}
    <- {"id": 2, "result": null}
"""


def stray(step):
    """
    Speak at length about what is wrong, in a sentence that takes more than one line of a narrow
    terminal.

    - a list stays
    - as it is
    """
    yield Remark("nobody asked", at="/id", see=1, hint="ask first")


RULE = a_rule(
    stray,
    "response",
    code="RPC001",
    name="stray-answer",
    bad=BAD,
    good="-> {}",
    covers=("RPC-06", "RPC-07"),
    spec="https://example.com/a/very/long/link/that/is/not/to/be/broken",
)


def test_a_rule_is_explained_so():
    assert explanation(RULE, 60) == (
        "RPC001 stray-answer  (error, since 0.1)\n"
        "A test has spoken\n"
        "\n"
        "Speak at length about what is wrong, in a sentence that\n"
        "takes more than one line of a narrow terminal.\n"
        "\n"
        "- a list stays\n"
        "- as it is\n"
        "\n"
        "Wrong:\n"
        '  -> {"id": 1, "method": "x"}\n'
        '  <- {"id": 2, "result": null}\n'
        "\n"
        "What is found in it:\n"
        "  error: nobody asked (frame 2, /id, see frame 1; agent to\n"
        "  blame)\n"
        "  hint: ask first\n"
        "\n"
        "Right:\n"
        "  -> {}\n"
        "\n"
        "Specification: https://example.com/a/very/long/link/that/is/not/to/be/broken\n"
        "\n"
        "Covers, in docs/rules/coverage.md: RPC-06, RPC-07\n"
    )


def test_a_program_is_told_the_same():
    assert description(RULE) == {
        "code": "RPC001",
        "name": "stray-answer",
        "family": "RPC",
        "severity": "error",
        "summary": "A test has spoken",
        "explanation": RULE.explanation,
        "spec": RULE.spec,
        "since": "0.1",
        "covers": ["RPC-06", "RPC-07"],
        "bad": '-> {"id": 1, "method": "x"}\n<- {"id": 2, "result": null}',
        "good": "-> {}",
        "findings": [
            {
                "seq": 2,
                "code": "RPC001",
                "name": "stray-answer",
                "severity": "error",
                "blame": "agent",
                "text": "nobody asked",
                "path": "/id",
                "see": 1,
                "hint": "ask first",
                "t": 0.002,
            }
        ],
    }
    assert [finding.text for finding in findings_of_bad(RULE)] == ["nobody asked"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_catalogue_is_listed_within_the_width(width):
    other = a_rule(stray, code="SCH001", name="other", summary="A long summary " * 10)
    lines = listing([RULE, other], width).splitlines()
    assert lines[0].startswith("RPC  ")
    assert "SCH  " in "".join(lines)
    assert all(len(line) <= width for line in lines)


def test_a_paragraph_that_goes_on_with_a_literal_is_wrapped_anew():
    text = "Look for `print` and\n`console.log`, or for\n-32602 in the answer."
    assert paragraphs(text, 60) == [
        "Look for `print` and `console.log`, or for -32602 in the",
        "answer.",
    ]


def test_marks_that_do_not_explain_themselves_are_explained():
    shown = explanation(a_rule(stray, code="RPC001", bad="!! hello\n== 1", good="-> {}"), 80)
    assert "In the examples: `!!` a line on stderr; `==` the agent's exit status\n" in shown
