"""An agent advertises the features that it uses itself."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gate_of, lack
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import CALL


@rule(
    code="CAP012",
    name="unadvertised-agent-feature",
    severity=Severity.WARNING,
    summary="The agent used an unstable feature that it did not advertise",
    on=("notification:auth/status_update", "request:mcp/message"),
    covers=("UNS-08", "UNS-14"),
    spec="https://agentclientprotocol.com/protocol/v1/draft/initialization#agent-capabilities",
    bad=handshake()
    + """\
<- {"jsonrpc": "2.0", "method": "auth/status_update", "params": {"state": "unauthenticated"}}
""",
    good=handshake(agent={"auth": {"status": {}}})
    + """\
<- {"jsonrpc": "2.0", "method": "auth/status_update", "params": {"state": "unauthenticated"}}
""",
)
def unadvertised_agent_feature(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `auth/status_update` from an agent without `auth.status`, and `mcp/message` from an
    agent without `mcpCapabilities.acp`.

    ## Why it matters
    Clients use these capabilities to decide what to handle. Notifications from other agents are
    lost, and their requests are refused.

    ## Use instead
    Advertise the feature in the response to `initialize`, or do not use it.
    """
    if isinstance(step.message, CALL) and step.message.method != step.method:
        return  # `_mcp/message`, an extension
    gate = gate_of(step.method, step.state.version)
    if gate is None or step.frame.sender is not Peer.AGENT or not (why := lack(step.state, gate)):
        return
    yield Remark(
        f"`{step.method}` was sent, but {why}",
        at="/method",
        hint=f"advertise {advert(gate)} in the response to `initialize`",
    )
