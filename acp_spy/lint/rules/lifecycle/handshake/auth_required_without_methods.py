"""An agent that requires authentication offers a method."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZE, transcript

_REFUSED = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "Authentication required"}}
"""


@rule(
    code="LIF013",
    name="auth-required-without-methods",
    severity=Severity.WARNING,
    summary="Authentication is required, but no method was offered",
    on=("error:session/new", "error:session/load", "error:session/resume", "error:session/prompt"),
    covers=("AUT-11",),
    spec="https://agentclientprotocol.com/protocol/authentication",
    bad=transcript(HANDSHAKE, _REFUSED),
    good=transcript(
        INITIALIZE,
        """
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": [{"id": "browser", "name": "Browser"}]}}
        """,
        _REFUSED,
    ),
)
def auth_required_without_methods(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports `-32000` (authentication required) from an agent that offered no `authMethods`.

    ## Why it matters
    The client has no login to show, and the user is stuck.

    ## Use instead
    Offer a method in the result of `initialize`. If the only login is in a terminal and the client
    does not support that, put the command into the error message. Use another code for another
    cause, such as a quota or a wrong key.
    """
    if error_code(step) != -32000 or memory or step.state.phase is not Phase.READY:
        return
    if step.state.auth_methods in (None, []):
        memory["reported"] = True
        yield Remark(
            f"`{step.method}` was answered with `-32000` (authentication required), but the agent"
            " offered no `authMethods`",
            at="/error/code",
            hint="offer `authMethods`, or use another code if a login does not help",
        )
