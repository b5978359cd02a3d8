"""A client's settings name an agent that can be started."""

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
    The client launches the agent, by a command that stands in its settings. This one could not be
    run, so that nobody was there to answer; the capture has the reason that the system gave.

    Editors often have another `PATH` than a shell, and none of its aliases: the path of the program
    in full helps. A command and its arguments are separate words.
    """
    if ending.reason:
        yield Remark(
            f"the agent could not be started: {ending.reason}",
            blame=Peer.CLIENT,
            hint="mend the command in the client's settings; give the program's path in full",
        )
