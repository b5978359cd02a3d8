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
    summary="A capability has the wrong type and counts as not supported",
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
    ## What it does
    Reports capabilities of the wrong type. The older ones are booleans (`loadSession`, `image`,
    `http`, `terminal`); the newer ones are objects (`list`, `resume`, `close`, `form`, `logout`).
    `false` instead of an object is a note: it has the same effect as omitting it.

    ## Why it matters
    SDKs silently drop a capability of the wrong type. The peer assumes that it is not supported and
    never uses the feature.

    ## Use instead
    Send `true` or `{}`, as the specification defines for this capability.
    """
    for mistake in facts.mistakes_of("wrong-capability-type"):
        mismatch = mistake.first
        meant = mismatch.got == "false"
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected {mismatch.expected}"
            + ("" if meant else "; it counts as not supported"),
            at=mismatch.path,
            severity=Severity.NOTE if meant else severity(mistake),
            hint="omit it" if meant else _hint(mismatch),
        )


def _hint(mismatch: Mismatch) -> str:
    if mismatch.expected != "an object":
        return f'send `"{mismatch.key}": true`'
    tables = spec("v1")
    inside = sorted(keys_of(tables, tables.shapes.get(mismatch.shape, Null())) - {"_meta"})
    if inside:
        return f"send an object with what is supported, such as `{inside[0]}`"
    return f'send `"{mismatch.key}": {{}}`'
