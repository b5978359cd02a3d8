"""Reports for the tests of the formats, made without a capture file."""

from support.rules import a_rule

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Finding, Severity
from acp_spy.view.findings.excerpt import excerpt
from acp_spy.view.findings.report import Report
from acp_spy.wire.frame import Frame, Peer


def silent(moment):
    """
    ## What it does

    Explain in a sentence. Go on
    in the next line.

    ## Why it matters

    It is
    wrong.

    ## Use instead

    Do it.
    """
    yield from ()


RULES = (
    a_rule(silent, code="RPC007", name="unanswered-request", spec="https://example.com/rpc#7"),
    a_rule(silent, code="SCH001", name="unknown-field", severity=Severity.WARNING),
    a_rule(silent, code="LIF003", name="late-update", severity=Severity.NOTE),
)
_BY_CODE = {rule.code: rule for rule in RULES}

TALK = r"""
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilites": {}}}
    @ 2.344
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s-1"}}
"""
FINDINGS = (
    (2, "SCH001", "`agentCapabilites` is not known here", {"path": "/result/agentCapabilites"}),
    (3, "RPC007", "`session/prompt` was never answered", {"blame": Peer.AGENT, "see": 1}),
)


def finding(seq, code, text="seen", **more) -> Finding:
    """Return a finding of one of the rules here."""
    rule = _BY_CODE[code]
    signed = {"severity": rule.severity, "blame": Peer.AGENT, **more}
    return Finding(seq=seq, code=code, name=rule.name, text=text, **signed)


def report(transcript=TALK, findings=FINDINGS, path="run.jsonl", **more) -> Report:
    """Return what `check` would make of these findings; the frames begin at line 2."""
    frames = [record for record in parse(transcript) if isinstance(record, Frame)]
    made = Report(path, RULES, frames=len(frames), **more)
    made.add((finding(*found[:-1], **found[-1]) for found in findings), every=True)
    for seq, pointer in made.shown_places():
        for frame in frames:
            if frame.seq == seq:
                made.lines[seq] = seq + 1
                made.excerpts[seq, pointer] = excerpt(frame, pointer)
    return made
