import re

import pytest
from rich.cells import cell_len
from support.families import for_each
from support.rules import a_rule

from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import HEADINGS, Remark
from acp_spy.view.layout import Layout
from acp_spy.view.rule_text import description, explanation, listing, paragraphs

BAD = """
    -> {"id": 1, "method": "x"}
    <- {"id": 2, "result": null}
"""


def stray(step):
    """
    ## What it does

    Reports at length what is wrong, in a sentence that takes more than one line of a narrow
    terminal.

    ## Why it matters

    - a list stays
    - as it is

    ## Use instead

    Wait for a request.
    """
    yield Remark("no request", at="/id", see=1, hint="wait for one")


RULE = a_rule(
    stray,
    "response",
    code="RPC099",
    name="stray-answer",
    bad=BAD,
    good="-> {}",
    covers=("RPC-06", "RPC-07"),
    spec="https://example.com/a/very/long/link/that/is/not/to/be/broken",
)


def shown(rule, width=80, *, colour=False):
    return "\n".join(explanation(rule, Layout(width, colour=colour)))


def test_a_rule_is_explained_under_fixed_headings():
    assert shown(RULE, 60) == (
        "RPC099 stray-answer (error, since 0.1)\n"
        "A test has spoken\n"
        "\n"
        "What it does\n"
        "  Reports at length what is wrong, in a sentence that takes\n"
        "  more than one line of a narrow terminal.\n"
        "\n"
        "Why it matters\n"
        "  - a list stays\n"
        "  - as it is\n"
        "\n"
        "Example\n"
        '     -> {"id": 1, "method": "x"}\n'
        '  >> <- {"id": 2, "result": null}\n'
        "     error RPC099 no request (agent must fix, frame 2, see\n"
        "     frame 1)\n"
        "     hint: wait for one\n"
        "  (-> client to agent, <- agent to client, >> what the\n"
        "  finding is about)\n"
        "\n"
        "Use instead\n"
        "  Wait for a request.\n"
        "\n"
        "     -> {}\n"
        "\n"
        "Specification\n"
        "  https://example.com/a/very/long/link/that/is/not/to/be/broken\n"
        "  Coverage table: RPC-06, RPC-07\n"
        "  Online: https://acp-spy.readthedocs.io/rules/RPC099/"
    )


def test_in_color_it_says_the_same():
    colored = shown(RULE, colour=True)
    assert "\x1b[1mUse instead\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == shown(RULE)


def test_a_program_gets_the_same():
    assert description(RULE) == {
        "code": "RPC099",
        "name": "stray-answer",
        "family": "RPC",
        "severity": "error",
        "by_default": True,
        "summary": "A test has spoken",
        "explanation": RULE.explanation,
        "what": "Reports at length what is wrong, in a sentence that takes more than one line of a"
        " narrow\nterminal.",
        "why": "- a list stays\n- as it is",
        "instead": "Wait for a request.",
        "fix": "",
        "spec": RULE.spec,
        "url": "https://acp-spy.readthedocs.io/rules/RPC099/",
        "since": "0.1",
        "covers": ["RPC-06", "RPC-07"],
        "bad": '-> {"id": 1, "method": "x"}\n<- {"id": 2, "result": null}',
        "good": "-> {}",
        "findings": [
            {
                "seq": 2,
                "code": "RPC099",
                "name": "stray-answer",
                "severity": "error",
                "blame": "agent",
                "text": "no request",
                "path": "/id",
                "see": 1,
                "hint": "wait for one",
                "t": 0.002,
            }
        ],
    }


each_rule = for_each(CATALOGUE.values(), lambda rule: rule.code)


@each_rule
def test_every_rule_fits_on_a_screen_and_its_width(rule):
    lines = shown(rule).split("\n")
    assert [line for line in lines if cell_len(line) > 80 and "https://" not in line] == []
    assert len(lines) <= 50
    assert sum(">>" in line for line in lines) == 2  # the line with the finding, and the legend
    for width in (64, 200):
        wide = shown(rule, width).split("\n")
        assert [line for line in wide if cell_len(line) > width and "https://" not in line] == []


@each_rule
def test_what_is_found_can_be_read_under_its_line(rule):
    text = " ".join(shown(rule).split())
    for finding in description(rule)["findings"]:
        assert " ".join(finding["text"].split()) in text
        assert f"({finding['blame']} must fix" in text


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


def test_marks_are_explained_if_they_are_used():
    rule = a_rule(stray, code="RPC099", bad="!! hello\n== 1", good="-> EOF")
    assert (
        "  (-> client to agent, <- agent to client, !! a line on stderr, EOF end of\n"
        "  stream, == the agent's exit status)"
    ) in shown(rule)


def test_a_rule_whose_explanation_has_no_headings_is_shown():
    def check(step):
        """Explain."""
        yield from ()

    lines = shown(a_rule(check, bad="-> {}", good="-> {}")).split("\n")
    assert lines[2:5] == ["", HEADINGS.what, "  Explain."]
