from support.reports import report

from acp_spy.view.findings.github import render
from acp_spy.wire.frame import Peer


def test_each_mistake_is_one_command_at_its_line():
    late = [(2, "LIF003", "late", {}), (3, "LIF003", "late", {})]
    findings = [*late, (1, "RPC007", "seen", {"hint": "do", "blame": Peer.CLIENT})]
    error, note = render([report(findings=findings), report("", [], "clean.jsonl")])
    assert error == (
        "::error file=run.jsonl,line=2,title=RPC007 unanswered-request::"
        "seen (frame 1, client must fix)%0Ahint: do\n"
    )
    assert note == (
        "::notice file=run.jsonl,line=3,title=LIF003 late-update::"
        "late (frame 2, agent must fix)%0A2 times, also in frame 3\n"
    )
    (warning,) = render([report("", [(0, "SCH001", "seen", {})])])
    assert warning.startswith("::warning file=run.jsonl,line=1,")
    assert warning.endswith("::seen (agent must fix)\n")


def test_what_would_end_the_command_is_escaped():
    findings = [(1, "RPC007", "100%0A: a,b::c\n::error::x\r\x1b[0m", {})]
    (command,) = render([report("", findings, "a,b:c%.jsonl")])
    assert command == (
        "::error file=a%2Cb%3Ac%25.jsonl,line=1,title=RPC007 unanswered-request::"
        "100%250A: a,b::c\\n::error::x\\r\\x1b[0m (frame 1, agent must fix)\n"
    )
