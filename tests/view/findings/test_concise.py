from support.reports import report

from acp_spy.view.findings.concise import render


def test_one_line_a_mistake():
    often = [(seq, "LIF003", "late", {}) for seq in (5, 4, 9)]
    findings = [*often, (1, "RPC007", "`x` was never answered", {"path": "/id", "hint": "h"})]
    shown = report("", findings)
    shown.lines = {1: 2, 5: 17}
    assert list(render([shown, report("", [], "clean.jsonl")])) == [
        "run.jsonl:2: error RPC007 `x` was never answered (agent must fix, frame 1)\n",
        "run.jsonl:17: note LIF003 late (agent must fix, frame 5, 3 times, also in frames 4, 9)\n",
    ]


def test_no_line_is_made_up_where_none_is_known():
    findings = [(0, "RPC007", "not started", {}), (3, "RPC007", "late", {})]
    assert list(render([report("", findings)])) == [
        "run.jsonl: error RPC007 not started (agent must fix)\n",
        "run.jsonl: error RPC007 late (agent must fix, frame 3)\n",
    ]


def test_what_acts_is_shown():
    findings = [(1, "SCH001", "a\nb\x1b[0m[red]", {})]
    assert list(render([report("", findings, "a\rb")])) == [
        "a\\rb: warning SCH001 a\\nb\\x1b[0m[red] (agent must fix, frame 1)\n"
    ]
