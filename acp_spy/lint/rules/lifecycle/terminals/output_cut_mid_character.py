"""Truncated output starts with a complete character."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import TERMINAL
from acp_spy.wire.values import fields

_OUTPUT = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/output", "params": {"sessionId": "s1", "terminalId": "term_1"}}
"""


@rule(
    code="LIF126",
    name="output-cut-mid-character",
    severity=Severity.ERROR,
    summary="Truncated output starts in the middle of a character",
    on=("result:terminal/output",),
    covers=("TRM-05",),
    spec="https://agentclientprotocol.com/protocol/terminals#executing-commands",
    bad=TERMINAL
    + _OUTPUT
    + """
        -> {"jsonrpc": "2.0", "id": 1, "result": {"output": "\\ufffd 2 passed", "truncated": true}}
""",
    good=TERMINAL
    + _OUTPUT
    + """
        -> {"jsonrpc": "2.0", "id": 1, "result": {"output": " 2 passed", "truncated": true}}
""",
)
def output_cut_mid_character(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports truncated terminal output that starts with the replacement character U+FFFD. Output must
    be truncated at a character boundary.

    ## Why it matters

    The client cut the bytes before it decoded them. The model reads a character that the command
    did not print.

    ## Use instead

    Move the cut forward to the next character boundary.
    """
    result = fields(step.body)
    output = result.get("output")
    if result.get("truncated") is True and isinstance(output, str) and output[:1] == "\ufffd":
        yield Remark(
            "truncated output starts with U+FFFD; expected a complete character",
            at="/result/output",
            hint="cut at a character boundary",
        )
