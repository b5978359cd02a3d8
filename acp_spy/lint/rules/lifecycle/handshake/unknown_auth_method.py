"""`authenticate` uses a method that the agent offered."""

from collections.abc import Iterator

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import INITIALIZE, transcript
from acp_spy.lint.rules.lifecycle._offers import auth_methods
from acp_spy.wire.values import fields

_OFFERED = """
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0"}, "authMethods": [{"id": "browser", "name": "Browser"}]}}
"""


@rule(
    code="LIF011",
    name="unknown-auth-method",
    severity=Severity.ERROR,
    summary="`authenticate` names a method that the agent did not offer",
    on=("request:authenticate", "request:auth/login"),
    covers=("AUT-04",),
    spec="https://agentclientprotocol.com/protocol/authentication",
    bad=transcript(
        INITIALIZE,
        _OFFERED,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "Browser"}}
        """,
    ),
    good=transcript(
        INITIALIZE,
        _OFFERED,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "authenticate", "params": {"methodId": "browser"}}
        <- {"jsonrpc": "2.0", "id": 1, "result": {}}
        """,
    ),
)
def unknown_auth_method(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `authenticate` with a `methodId` that is not the `id` of any of the `authMethods` in the
    result of `initialize`. A common mistake is to send the `name`.

    ## Why it matters
    The agent can only refuse it.

    ## Use instead
    Send the `id` of an offered method, unchanged.
    """
    requested = fields(step.body).get("methodId")
    if not isinstance(requested, str) or step.state.phase is not Phase.READY:
        return
    if not isinstance(step.state.auth_methods, list | None):
        return  # what cannot be read may offer it: SCH rules report it
    offered = auth_methods(step.state)
    if not offered.is_readable:
        return  # one that cannot be read may be meant: SCH rules report it
    if requested in offered.ids or (not offered.ids and step.method == "auth/login"):
        return  # CAP015 reports `auth/login` if nothing is offered
    names = ", ".join(offered.shown)
    yield Remark(
        f"{quoted(requested)} is not one of the agent's `authMethods`; expected"
        f" {names or 'no `authenticate`, because it offers none'}",
        at="/params/methodId",
        hint="use the `id` of one of the methods that `initialize` returned",
    )
