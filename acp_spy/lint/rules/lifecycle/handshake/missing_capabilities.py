"""Each peer says what it can do."""

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
    summary="The handshake carries no capabilities",
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
    Both peers have to send their capabilities in the handshake. SDKs read a missing object as an
    empty one: the peer then believes that nothing is supported, and files, terminals, images or
    session loading are never used, without a word of why.

    Send `clientCapabilities` in the request and `agentCapabilities` in the result, `{}` if there
    is nothing to advertise.
    """
    body = fields(step.body)
    if not body or not is_by_version_1(facts) or not is_handshake(step):
        return
    if any(key.lower().endswith("capabilities") for key in body):
        return  # under a wrong name it is a matter of shape
    is_request = step.frame.sender is Peer.CLIENT
    key = "clientCapabilities" if is_request else "agentCapabilities"
    yield Remark(
        f"`{key}` is missing; the peer takes it that nothing is supported",
        at="/params" if is_request else "/result",
        hint=f"send `{key}`, even if it is `{{}}`",
    )
