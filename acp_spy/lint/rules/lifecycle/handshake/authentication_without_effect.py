"""After a successful `authenticate`, sessions need no further login."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import INITIALIZE, transcript
from acp_spy.protocol.names import LOGINS

_SIGNED_IN = """
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": [{"id": "browser", "name": "Browser"}]}}
    -> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "browser"}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {}}
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
"""


@rule(
    code="LIF012",
    name="authentication-without-effect",
    severity=Severity.ERROR,
    summary="`authenticate` succeeded, but the next session still requires authentication",
    on=(
        "result:authenticate",
        "result:auth/login",
        "result:logout",
        "result:auth/logout",
        "SessionOpened",
        "error:session/new",
        "error:session/load",
        "error:session/resume",
    ),
    covers=("AUT-06",),
    spec="https://agentclientprotocol.com/protocol/authentication",
    bad=transcript(
        INITIALIZE,
        _SIGNED_IN,
        """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32000, "message": "Authentication required"}}
        """,
    ),
    good=transcript(
        INITIALIZE,
        _SIGNED_IN,
        """
        <- {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "s1"}}
        """,
    ),
)
def authentication_without_effect(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports `-32000` (authentication required) for a session request after `authenticate` succeeded.

    ## Why it matters
    The client sends the user back to the login, again and again.

    ## Use instead
    Answer `authenticate` only when the login is complete and stored, and with an error if it
    failed. Use `-32000` only for a missing login, not for a quota or a service that is down.
    """
    if step.method in LOGINS:
        memory["since"] = step.frame.seq
    elif not step.method.startswith("session/") or error_code(step) is None:
        memory.clear()
    elif error_code(step) == -32000 and step.exchange is not None:
        since = memory.get("since")
        if since is not None and step.exchange.seq > since:
            memory.clear()
            yield Remark(
                f"`{step.method}` was answered with `-32000` (authentication required), although"
                " authentication succeeded before",
                at="/error/code",
                see=since,
                hint="answer `authenticate` with an error if the login failed",
            )
