"""Values with a minimum length are not empty."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import again, loss, severity, subject

_IN_WORDS = {
    "at least 1 characters": "a string that is not empty",
    "at least 1 items": "at least one item",
}


@rule(
    code="SCH027",
    name="empty-value",
    severity=Severity.ERROR,
    summary="A string or list is empty, but must not be",
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
    ## What it does
    Reports empty strings and lists that have a minimum length: the title of a notice, and in
    version 2 the blocks of a prompt.

    ## Why it matters
    Strict readers refuse the message, and the user sees a blank.

    ## Use instead
    Send a value, or do not send the message.
    """
    for mistake in facts.mistakes_of("empty-value"):
        mismatch = mistake.first
        yield Remark(
            f"{subject(mismatch)} is empty; expected {_IN_WORDS.get(mismatch.expected, mismatch.expected)}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint="send a value, or do not send the object",
        )
