"""Of objects with several forms, those that the version has."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._words import EDITIONS, again, loss, severity, text_of, value_of

_HINTS = {
    "agent": "leave `type` out: a login without one is the agent's",
    "env_var": "`env_var` was dropped in July 2026; a client takes it for a login of the agent's",
    "stdio": "leave `type` out: a server without one is started as a process",
}


@rule(
    code="SCH022",
    name="unknown-variant",
    severity=Severity.ERROR,
    summary="An object of a form that this version does not have",
    on=("mismatch",),
    covers=("SES-23", "AUT-01", "X-07"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"type": "websocket", "name": "files", "url": "wss://example.com/mcp"}]}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
    good=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"type": "http", "name": "files", "url": "https://example.com/mcp", "headers": []}]}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
)
def unknown_variant(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    MCP servers, login methods and config options come in several forms, and a key says which. A
    form that the reader does not know cannot be read: the call fails, or the entry is left out.

    In version 1 an MCP server that is started as a process, and a login that the agent conducts,
    have no `type`. One that says `stdio` or `agent`, as version 2 does, is understood all the same:
    a note.
    """
    for mistake in facts.mistakes_of("unknown-variant"):
        mismatch = mistake.first
        found, edition = value_of(step, mismatch), EDITIONS.get(mismatch.legal_in, "")
        only = f", though {edition} has it" if edition else ""
        ignored = "; readers ignore it" if mismatch.lenient == "ignored" else loss(mismatch)
        harmless = edition and mismatch.lenient == "ignored"
        yield Remark(
            f"{text_of(step, mismatch)} is no `{mismatch.key}` of `{mismatch.shape}` in this version{only}; "
            f"expected {mismatch.expected}{ignored}{again(mistake)}",
            at=mismatch.path,
            severity=Severity.NOTE if harmless else severity(mistake),
            hint=_HINTS.get(str(found))
            or (f"send `{mismatch.instead}`" if mismatch.instead else ""),
        )
