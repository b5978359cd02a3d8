"""Variables, headers and servers are lists."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import after_handshake
from acp_spy.lint.rules.schema._words import again, loss, severity, sort_of, subject


@rule(
    code="SCH017",
    name="map-instead-of-list",
    severity=Severity.ERROR,
    summary="Environment, headers or MCP servers are sent as a map, or the other way round",
    on=("mismatch",),
    covers=("AUT-12", "SES-23", "TRM-11"),
    spec="https://agentclientprotocol.com/protocol/session-setup#mcp-servers",
    bad=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"name": "files", "command": "/usr/bin/mcp-files", "args": [], "env": {"ROOT": "/srv"}}]}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
    good=after_handshake(
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"name": "files", "command": "/usr/bin/mcp-files", "args": [], "env": [{"name": "ROOT", "value": "/srv"}]}]}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
        """
    ),
)
def map_instead_of_list(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    `env` and `headers` are lists of `{"name": …, "value": …}`, and `mcpServers` is a list of servers
    that each have a `name`. Configuration files of other programs write them as maps. Copied as they
    are, the call is refused; older SDKs drop the server without a word, and its tools are missing.

    Only the `env` of a terminal login in version 1 is a map.
    """
    for mistake in facts.mistakes_of("map-instead-of-list"):
        mismatch = mistake.first
        if mismatch.expected == "an object":
            expected, hint = "an object here", 'write it as a map: `{"NAME": "value"}`'
        elif mismatch.key == "mcpServers":
            expected, hint = "a list of servers", "move the name of each server into it, as `name`"
        else:
            expected = 'a list of `{"name": …, "value": …}`'
            hint = f"turn each entry of `{mismatch.key}` into an object with `name` and `value`"
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected {expected}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=hint,
        )
