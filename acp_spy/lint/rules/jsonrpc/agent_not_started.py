"""The client's settings name an agent that can be started."""

from collections.abc import Iterator

from acp_spy.conversation.state import Ending
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.frame import Peer


@rule(
    code="RPC023",
    name="agent-not-started",
    severity=Severity.ERROR,
    summary="The agent could not be started",
    on=("end",),
    covers=("X-02",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad="""
        == 127 command not found: `example-agent`
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        -> EOF
        <- EOF
        == 0
    """,
)
def agent_not_started(ending: Ending) -> Iterator[Remark]:
    """
    ## What it does

    Reports that the agent's command could not be run, with the reason that the system gave.

    ## Why it matters

    The client starts the agent with a command from its settings. If that fails, nothing can answer.

    Editors often have another `PATH` than a shell, and no aliases.

    ## Use instead

    Use the full path of the program, and write the command and its arguments as separate words.
    """
    if ending.reason:
        yield Remark(
            f"the agent could not be started: {ending.reason}",
            blame=Peer.CLIENT,
            hint="fix the command in the client's settings; use the full path of the program",
        )
