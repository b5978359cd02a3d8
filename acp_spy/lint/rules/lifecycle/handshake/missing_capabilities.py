"""Both peers send their capabilities in the handshake."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_by_version_1, is_handshake
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZED, transcript
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields


@rule(
    code="LIF003",
    name="missing-capabilities",
    severity=Severity.WARNING,
    summary="The handshake does not contain capabilities",
    on=("request:initialize", "result:initialize"),
    covers=("INI-03", "INI-05"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": {"name": "editor", "version": "1.0"}}}
        """,
        INITIALIZED,
    ),
    good=HANDSHAKE,
)
def missing_capabilities(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports an `initialize` request without `clientCapabilities`, or a result without
    `agentCapabilities`. This is normal for a peer that supports nothing and is built with the
    Python SDK (0.12), which omits objects whose values are all defaults. The TypeScript SDK sends
    what the program passes and adds nothing.

    ## Why it matters
    A missing object is read as an empty one. The peer assumes that nothing is supported and never
    uses files, terminals, images or session loading, without any error.

    ## Use instead
    Send `clientCapabilities` in the request and `agentCapabilities` in the result; send `{}` if
    there is nothing to advertise. With the Python SDK, set at least one capability: then the object
    is sent.
    """
    body = fields(step.body)
    if not body or not is_by_version_1(facts) or not is_handshake(step):
        return
    if any(key.lower().endswith("capabilities") for key in body):
        return  # it has the wrong name, which the SCH rules report
    is_request = step.frame.sender is Peer.CLIENT
    key = "clientCapabilities" if is_request else "agentCapabilities"
    yield Remark(
        f"`{key}` is missing; the peer will assume that nothing is supported",
        at="/params" if is_request else "/result",
        hint=f"send `{key}`, even if it is `{{}}`; the Python SDK omits it while no capability is set",
    )
