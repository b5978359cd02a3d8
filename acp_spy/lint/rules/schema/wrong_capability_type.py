"""Some capabilities are booleans, others are objects."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import severity, sort_of, subject
from acp_spy.protocol.legal import keys_of
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.protocol.shapes import Null
from acp_spy.protocol.tables import spec


@rule(
    code="SCH014",
    name="wrong-capability-type",
    severity=Severity.WARNING,
    summary="A capability is of the wrong type and counts as not supported",
    on=("mismatch",),
    covers=("INI-18", "X-06"),
    spec="https://agentclientprotocol.com/protocol/initialization#capabilities",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"form": true}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"form": {}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
    """,
)
def wrong_capability_type(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    The older capabilities are `true` or `false`: `loadSession`, `image`, `http`, `terminal`. The
    younger ones are objects, empty for now: `list`, `resume`, `close`, `form`, `logout`. Of the wrong
    type, a capability is dropped by the SDKs without a word: the peer believes that it is not there,
    and the feature is never used.

    `false` where an object belongs comes to the same as leaving it out: a note.
    """
    for mistake in facts.mistakes_of("wrong-capability-type"):
        mismatch = mistake.first
        meant = mismatch.got == "false"
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected {mismatch.expected}"
            + ("" if meant else ": it counts as not supported"),
            at=mismatch.path,
            severity=Severity.NOTE if meant else severity(mistake),
            hint="leave it out" if meant else _hint(mismatch),
        )


def _hint(mismatch: Mismatch) -> str:
    if mismatch.expected != "an object":
        return f'write `"{mismatch.key}": true`'
    tables = spec("v1")
    inside = sorted(keys_of(tables, tables.shapes.get(mismatch.shape, Null())) - {"_meta"})
    if inside:
        return f"write an object that says what of it is supported, such as `{inside[0]}`"
    return f'write `"{mismatch.key}": {{}}`'
