"""Strings with a format conform to it."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._words import again, loss, severity, subject

_FORMS = {
    "a base64": "base64 with padding",
    "a date-time": "a time such as `2026-11-15T00:03:20Z`",
    "a uri": "an absolute URL such as `https://example.com/login`",
}


@rule(
    code="SCH028",
    name="bad-format",
    severity=Severity.ERROR,
    summary="A string does not have the format in the specification",
    on=("mismatch",),
    covers=("ELI-02",),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"url": {}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s-1", "mode": "url", "elicitationId": "e-1", "message": "Sign in", "url": "example.com/login"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "decline"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"url": {}}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": false, "promptCapabilities": {}, "mcpCapabilities": {"http": true}}, "agentInfo": {"name": "agent", "version": "1.0"}}}
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        <- {"jsonrpc": "2.0", "id": 0, "method": "elicitation/create", "params": {"sessionId": "s-1", "mode": "url", "elicitationId": "e-1", "message": "Sign in", "url": "https://example.com/login"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"action": "decline"}}
    """,
)
def bad_format(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports strings that do not have the format that the schema defines: URLs must be absolute, with
    a scheme; terminal output in version 2 is base64.

    ## Why it matters
    A client cannot open `example.com/login`, and data that cannot be decoded is lost.

    ## Use instead
    Send the string in the format that the finding names.
    """
    for mistake in facts.mistakes_of("bad-format"):
        mismatch = mistake.first
        if mismatch.path in step.frame.redacted:
            continue  # it is a placeholder
        form = _FORMS.get(mismatch.expected, mismatch.expected)
        yield Remark(
            f"{subject(mismatch)} is {mismatch.got}; expected {form}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
        )
