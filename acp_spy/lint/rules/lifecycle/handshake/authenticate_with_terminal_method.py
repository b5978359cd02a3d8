"""A login in a terminal is no matter for `authenticate`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import transcript
from acp_spy.wire.values import fields, items

_HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {"auth": {"terminal": true}}, "clientInfo": {"name": "editor", "version": "1.0"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": [{"id": "login", "name": "Log in", "type": "terminal", "args": ["login"]}, {"id": "browser", "name": "Browser"}]}}
"""


@rule(
    code="LIF010",
    name="authenticate-with-terminal-method",
    severity=Severity.ERROR,
    summary="`authenticate` names a method that is run in a terminal",
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
    A method of type `terminal` means: run the agent's program with these arguments in a terminal,
    and start the agent again when it has exited. The agent cannot do that from inside, so such a
    method is never given to `authenticate`; the agent would refuse, or wait for ever.
    """
    wanted = fields(step.body).get("methodId")
    for method in items(step.state.auth_methods):
        offered = fields(method)
        if (
            isinstance(wanted, str)
            and wanted == offered.get("id", offered.get("methodId"))
            and offered.get("type") == "terminal"
        ):
            yield Remark(
                f"{quoted(wanted)} is a `terminal` method; it is run in a terminal, not asked for"
                f" by `{step.method}`",
                at="/params/methodId",
                hint="run the agent's command with the method's `args` and `env` in a terminal,"
                " then start the agent again",
            )
            return
