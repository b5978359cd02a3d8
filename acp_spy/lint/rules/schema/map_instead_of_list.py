"""Environment variables, headers and MCP servers are lists."""

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
    summary="Environment variables, headers or MCP servers are a map instead of a list, or vice versa",
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
    ## What it does
    Reports `env`, `headers` and `mcpServers` that are maps. `env` and `headers` are lists of
    `{"name": …, "value": …}`; `mcpServers` is a list of servers with a `name`. Only the `env` of a
    terminal login in version 1 is a map.

    ## Why it matters
    Configuration files of other programs use maps. The peer refuses them, or (older SDKs) silently
    drops the server, and its tools are missing.

    ## Use instead
    Convert the map into a list.
    """
    for mistake in facts.mistakes_of("map-instead-of-list"):
        mismatch = mistake.first
        if mismatch.expected == "an object":
            expected, hint = "an object here", 'send a map: `{"NAME": "value"}`'
        elif mismatch.key == "mcpServers":
            expected, hint = (
                "a list of servers",
                "put the name of each server into its `name` field",
            )
        else:
            expected = 'a list of `{"name": …, "value": …}`'
            hint = f"convert each entry of `{mismatch.key}` into an object with `name` and `value`"
        yield Remark(
            f"{subject(mismatch)} is {sort_of(mismatch)}; expected {expected}{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=hint,
        )
