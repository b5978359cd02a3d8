"""A login in a terminal does not use `authenticate`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import transcript
from acp_spy.lint.rules.lifecycle._offers import auth_methods
from acp_spy.wire.values import fields

_HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"auth": {"terminal": true}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": [{"id": "login", "name": "Log in", "type": "terminal", "args": ["login"]}, {"id": "browser", "name": "Browser"}]}}
"""


@rule(
    code="LIF010",
    name="authenticate-with-terminal-method",
    severity=Severity.ERROR,
    summary="`authenticate` names a method of type `terminal`",
    on=("request:authenticate", "request:auth/login"),
    covers=("AUT-03",),
    spec="https://agentclientprotocol.com/protocol/authentication",
    bad=transcript(
        _HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "login"}}
        """,
    ),
    good=transcript(
        _HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "browser"}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {}}
        """,
    ),
)
def authenticate_with_terminal_method(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `authenticate` with a method of type `terminal`. Such a login runs the agent's program
    with the given arguments in a terminal; when it exits, the client starts the agent again.

    ## Why it matters
    The running agent cannot do this itself. It refuses the request or waits forever.

    ## Use instead
    Run the agent's command with the `args` and `env` of the method in a terminal, then start the
    agent again.
    """
    requested = fields(step.body).get("methodId")
    if isinstance(requested, str) and requested in auth_methods(step.state).terminal:
        yield Remark(
            f"`{step.method}` names {quoted(requested)}, a method of type `terminal`; expected the"
            " client to run it in a terminal",
            at="/params/methodId",
            hint="run the agent's command with the method's `args` and `env` in a terminal,"
            " then start the agent again",
        )
