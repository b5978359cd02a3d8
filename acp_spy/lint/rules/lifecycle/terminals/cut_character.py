"""Truncated output begins with a whole character."""

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
    name="cut-character",
    severity=Severity.ERROR,
    summary="Truncated output begins in the middle of a character",
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
def cut_character(step: Step) -> Iterator[Remark]:
    """
    Output that is longer than `outputByteLimit` is cut at a character, never within one.

    A client that cuts bytes first and decodes them afterwards leaves half a character behind. It
    shows as a replacement mark (U+FFFD) at the very beginning, and the model reads it as such.

    Move the cut forward to the next byte that begins a character.
    """
    result = fields(step.body)
    output = result.get("output")
    if result.get("truncated") is True and isinstance(output, str) and output[:1] == "\ufffd":
        yield Remark(
            "truncated output begins with U+FFFD; expected a whole character",
            at="/result/output",
            hint="cut at a character's first byte",
        )
