"""What is not supported is better said than left open."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_by_version_1, is_handshake
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, INITIALIZED, transcript
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

# Markers that are objects are left out: their absence is the only way to say no.
_CLIENT = ("fs.readTextFile", "fs.writeTextFile", "terminal", "auth.terminal")
_AGENT = ("loadSession", "promptCapabilities", "mcpCapabilities")


@rule(
    code="LIF005",
    name="unstated-capability",
    severity=Severity.NOTE,
    summary="The handshake leaves open whether a capability is supported",
    on=("request:initialize", "result:initialize"),
    covers=("INI-13", "INI-14"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        """,
        INITIALIZED,
    ),
    good=HANDSHAKE,
)
def unstated_capability(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    A capability that is left out counts as not supported. That is legal, but it cannot be told
    from one that was forgotten. Peers should state the main ones, `false` included.
    """
    body = fields(step.body)
    if not is_by_version_1(facts) or not is_handshake(step):
        return
    is_request = step.frame.sender is Peer.CLIENT
    key, names = ("clientCapabilities", _CLIENT) if is_request else ("agentCapabilities", _AGENT)
    capabilities = getattr(step.event, "capabilities", None)  # as a dialect may have them, too
    if not isinstance(body.get(key), dict) or not isinstance(capabilities, dict):
        return
    missing = [f"`{name}`" for name in names if not _is_stated(capabilities, name)]
    if missing:
        yield Remark(
            f"{', '.join(missing)} left out; whether supported or not should be said",
            at=f"/{'params' if is_request else 'result'}/{key}",
            hint="say `false`, or an empty object, for what is not supported",
        )


def _is_stated(capabilities: dict[str, Any], name: str) -> bool:
    value: Any = capabilities
    for part in name.split("."):
        if not isinstance(value, dict):
            return True  # the shape is wrong, which is said elsewhere
        if part not in value:
            return False
        value = value[part]
    return True
