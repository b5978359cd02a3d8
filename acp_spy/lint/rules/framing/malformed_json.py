"""A message is valid JSON."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Unreadable


@rule(
    code="FRM015",
    name="malformed-json",
    severity=Severity.ERROR,
    summary="A message is not valid JSON",
    on=("line:malformed", "end"),
    covers=("FRM-02",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        -> {'jsonrpc': '2.0', 'id': 0, 'method': 'initialize', 'params': {'protocolVersion': 1}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    """,
)
def malformed_json(moment: Step | Ending, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a line that looks like a message but is not valid JSON: single quotes, an extra comma,
    `NaN`, an unescaped tab in a string; or a message inside a JSON string.

    ## Why it matters

    The peer cannot read any of it. Such lines are assembled by hand or written with the wrong
    function (`str(message)` in Python).

    ## Use instead

    Encode the whole message with a JSON encoder.
    """
    for line in facts.lines:
        if line.kind != "malformed":
            continue
        why = "not JSON"
        if isinstance(moment, Step) and isinstance(moment.message, Unreadable):
            why = moment.message.reason if moment.frame.seq == line.seq else why
        if isinstance(line.value, str):
            why = "a JSON string"
        yield Remark(
            f"{quote(line.payload)} looks like a message, but is {why}",
            on=line.seq,
            blame=line.sender,
            hint=_hint(line.payload),
        )


def _hint(payload: bytes) -> str:
    if payload.lstrip().startswith(b"{'"):
        return "use `json.dumps`: this is how Python prints a dict"
    if payload.lstrip().startswith(b'"'):
        return "encode the message once: this is a JSON string that contains it"
    if b"NaN" in payload or b"Infinity" in payload:
        return "send `null`: JSON has neither NaN nor Infinity"
    return "encode the whole message with a JSON encoder"
