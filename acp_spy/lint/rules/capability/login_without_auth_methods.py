"""Version 2: an agent without `authMethods` gets no login or logout."""

from collections.abc import Iterator

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import is_version_2
from acp_spy.lint.rules.capability._examples import handshake_2

_LOGIN = {"type": "agent", "methodId": "web", "name": "Log in"}


@rule(
    code="CAP015",
    name="login-without-auth-methods",
    severity=Severity.ERROR,
    summary="The client called `auth/login` or `auth/logout` on an agent without `authMethods`",
    on=("request:auth/login", "request:auth/logout"),
    covers=("V2-03",),
    spec="https://agentclientprotocol.com/protocol/v2/authentication",
    bad=handshake_2({})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "auth/logout", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
""",
    good=handshake_2({}, methods=[_LOGIN])
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "auth/logout", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {}}
""",
)
def login_without_auth_methods(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `auth/login` and `auth/logout` sent to an agent that listed no `authMethods`. In version
    2 that list is the capability for both methods.

    ## Why it matters
    The agent refuses both. The user is offered a login that cannot work.

    ## Use instead
    Show login and logout only for an agent that lists a method.
    """
    state = step.state
    if state.phase is not Phase.READY or not is_version_2(state.version):
        return
    if not state.auth_methods:
        yield Remark(
            f"`{step.method}` was called, but the agent listed no `authMethods`",
            at="/method",
            hint="call it only if the response to `initialize` lists a method",
        )
