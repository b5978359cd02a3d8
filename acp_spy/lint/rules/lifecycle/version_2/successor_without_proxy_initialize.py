"""Unstable: only a component that was initialized as a proxy has a successor."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.conversation.successor import SUCCESSOR
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._examples import transcript, version_1
from acp_spy.wire.jsonrpc import CALL

_FORWARD = (
    '<- {"jsonrpc": "2.0", "id": 0, "method": "proxy/successor", "params":'
    ' {"method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {},'
    ' "clientInfo": {"name": "editor", "version": "1.0"}}}}'
)


@rule(
    code="LIF259",
    name="successor-without-proxy-initialize",
    severity=Severity.ERROR,
    summary="`proxy/successor` was sent although the component is not a proxy",
    on=(
        "request:initialize",
        "request:proxy/initialize",
        f"request:{SUCCESSOR}",
        f"notification:{SUCCESSOR}",
    ),
    covers=("UNS-16",),
    spec="https://agentclientprotocol.com/rfds/proxy-chains",
    bad=transcript(version_1(), _FORWARD),
    good=transcript(
        version_1().split("\n")[0].replace('"initialize"', '"proxy/initialize"'), _FORWARD
    ),
)
def successor_without_proxy_initialize(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports `proxy/successor` to or from a component that got `initialize`. A conductor sends
    `proxy/initialize` to each component with a successor, and `initialize` only to the last one.

    ## Why it matters

    The last component of a chain has no successor: the message cannot be delivered.

    ## Use instead

    Conductor: send `proxy/initialize` to every component but the last. Proxy: forward messages only
    after `proxy/initialize`, and act as an agent after `initialize`.
    """
    if step.method != SUCCESSOR:
        memory["initialize"] = step.method, step.frame.seq
        return
    method, seq = memory.get("initialize", ("", 0))
    # Conductors that have names of their own say it in `_meta`.
    if (
        method == "initialize"
        and isinstance(step.message, CALL)
        and step.message.method == SUCCESSOR
    ):
        yield Remark(
            f"`{SUCCESSOR}` was sent, but the component got `initialize`;"
            " expected `proxy/initialize` before it",
            at="/method",
            see=seq,
            hint="initialize each component that has a successor with `proxy/initialize`",
        )
