"""Objects with several variants use one that the version defines."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._words import EDITIONS, again, loss, severity, text_of, value_of

_HINTS = {
    "agent": "omit `type`: without it, the agent does the login",
    "env_var": "remove the method: `env_var` was dropped in July 2026, and clients take it for a login by the agent",
    "stdio": "omit `type`: without it, the server is started as a process",
}


@rule(
    code="SCH022",
    name="unknown-variant",
    severity=Severity.ERROR,
    summary="An object is of a variant that this version does not define",
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
    ## What it does
    Reports MCP servers, login methods and config options of an unknown variant. In version 1 an MCP
    server over stdio and a login by the agent have no `type`; `stdio` or `agent`, as in version 2,
    is a note.

    ## Why it matters
    The reader cannot read the object: the request fails, or the entry is dropped.

    ## Use instead
    Use a variant that the version defines.
    """
    for mistake in facts.mistakes_of("unknown-variant"):
        mismatch = mistake.first
        found, edition = value_of(step, mismatch), EDITIONS.get(mismatch.legal_in, "")
        only = f", although {edition} defines it" if edition else ""
        ignored = "; readers ignore it" if mismatch.lenient == "ignored" else loss(mismatch)
        harmless = edition and mismatch.lenient == "ignored"
        yield Remark(
            f"{text_of(step, mismatch)} is not a `{mismatch.key}` of `{mismatch.shape}` in this version{only}; "
            f"expected {mismatch.expected}{ignored}{again(mistake)}",
            at=mismatch.path,
            severity=Severity.NOTE if harmless else severity(mistake),
            hint=_HINTS.get(str(found))
            or (f"send `{mismatch.instead}`" if mismatch.instead else ""),
        )
