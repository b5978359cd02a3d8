from support.reports import report

from acp_spy.view.findings.concise import render


def test_one_line_a_mistake():
    often = [(seq, "LIF003", "late", {}) for seq in (5, 4, 9)]
    findings = [*often, (1, "RPC007", "`x` was never answered", {"path": "/id", "hint": "h"})]
    assert list(render([report("", findings), report("", [], "clean.jsonl")])) == [
        "run.jsonl:1: error RPC007 `x` was never answered\n",
        "run.jsonl:5: note LIF003 late (3 times, also in frames 4, 9)\n",
    ]


def test_what_acts_is_shown():
    findings = [(1, "SCH001", "a\nb\x1b[0m[red]", {})]
    assert list(render([report("", findings, "a\rb")])) == [
        "a\\rb:1: warning SCH001 a\\nb\\x1b[0m[red]\n"
    ]
