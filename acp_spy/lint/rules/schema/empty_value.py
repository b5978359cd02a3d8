"""What must not be empty is not."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import again, loss, severity, subject

_IN_WORDS = {"at least 1 characters": "some text", "at least 1 items": "at least one item"}


@rule(
    code="SCH027",
    name="empty-value",
    severity=Severity.ERROR,
    summary="A text or list is empty where something is required",
    on=("mismatch",),
    covers=("NTC-02",),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"session": {"notices": {}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "notice", "severity": "warning", "title": ""}}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"session": {"notices": {}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "notice", "severity": "warning", "title": "The model is slow today"}}}
    """,
)
def empty_value(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A few texts and lists have a smallest length: the title of a notice, and in version 2 the blocks
    of a prompt. An empty one is refused by strict readers, and shows as a blank to the user.
    """
    for mistake in facts.mistakes_of("empty-value"):
        mismatch = mistake.first
        yield Remark(
            f"{subject(mismatch)} is empty; expected {_IN_WORDS.get(mismatch.expected, mismatch.expected)}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint="leave the whole out if there is nothing to say",
        )
