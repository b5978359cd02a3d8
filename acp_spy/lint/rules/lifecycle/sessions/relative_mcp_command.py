"""The command of an MCP server is an absolute path."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.values import fields, items


@rule(
    code="LIF022",
    name="relative-mcp-command",
    severity=Severity.NOTE,
    summary="The command of an MCP server is not an absolute path",
    on=("request:session/new", "request:session/load", "request:session/resume"),
    covers=("SES-23",),
    spec="https://agentclientprotocol.com/protocol/session-setup#mcp-servers",
    bad=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"name": "files", "command": "mcp-files", "args": [], "env": []}]}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": [{"name": "files", "command": "/usr/bin/mcp-files", "args": [], "env": []}]}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
        """,
    ),
)
def relative_mcp_command(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports MCP servers whose `command` is not an absolute path.

    ## Why it matters
    The agent looks up a bare name in its own `PATH`, which may differ from that of the client. If
    an editor starts from a desktop, its `PATH` is often shorter, and the server is missing without
    any error.

    ## Use instead
    Find the program in the client and send its full path.
    """
    for index, entry in enumerate(items(fields(step.body).get("mcpServers"))):
        server = fields(entry)
        command = server.get("command")
        if isinstance(command, str) and not is_absolute(command) and "url" not in server:
            yield Remark(
                f"{quoted(command)} is not an absolute path; the agent must search for it in its own `PATH`",
                at=f"/params/mcpServers/{index}/command",
                hint="find the program in the client and send its full path",
            )
