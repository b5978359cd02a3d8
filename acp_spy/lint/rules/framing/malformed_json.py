"""A message is JSON."""

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
    summary="A message is not JSON",
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
    A line that is meant as a message breaks the grammar of JSON: single quotes, a comma too many,
    `NaN`, a raw tab in a string. The peer cannot read any of it.

    Such lines are written by hand or with the wrong function (`str(message)` in Python). Use a JSON
    encoder for the whole message.
    """
    for line in facts.lines:
        if line.kind != "malformed":
            continue
        why = "not JSON"
        if isinstance(moment, Step) and isinstance(moment.message, Unreadable):
            why = moment.message.reason if moment.frame.seq == line.seq else why
        yield Remark(
            f"{quote(line.payload)} is meant as a message, but is {why}",
            on=line.seq,
            blame=line.sender,
            hint=_hint(line.payload),
        )


def _hint(payload: bytes) -> str:
    if payload.lstrip().startswith(b"{'"):
        return "this is how Python prints a dict; use `json.dumps`"
    if b"NaN" in payload or b"Infinity" in payload:
        return "JSON has neither NaN nor Infinity; send null"
    return "use a JSON encoder for the whole message"
