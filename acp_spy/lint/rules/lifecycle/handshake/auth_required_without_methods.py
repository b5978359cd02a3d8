"""Who asks for a login says how."""

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
    summary="Authentication is required, but no method is offered",
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
    `-32000` tells the client to authenticate by one of the `authMethods`. If there are none, its
    user is stuck: the client shows a login that it has no button for.

    Offer a method in the result of `initialize`. If the only one is a login in a terminal and the
    client cannot do that, say in the error's message what to run. If the cause is something else (a
    quota, a wrong key), use another code.
    """
    if error_code(step) != -32000 or memory or step.state.phase is not Phase.READY:
        return
    if step.state.auth_methods in (None, []):
        memory["reported"] = True
        yield Remark(
            f"`{step.method}` is answered `-32000`, authentication required, but `authMethods` of"
            " the agent offers none",
            at="/error/code",
            hint="offer `authMethods`, or use another code if a login is no help",
        )
