"""A method that works is advertised."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.capability._advertised import advert, gate_of, lack
from acp_spy.lint.rules.capability._examples import handshake
from acp_spy.protocol.capability_gates import V1, V2

_METHODS = sorted(
    {*V1.methods, *V2.methods}
    - {"auth/status_update", "elicitation/complete", "elicitation/create", "mcp/message"}
)


@rule(
    code="CAP014",
    name="unadvertised-method-accepted",
    severity=Severity.NOTE,
    summary="A method works although it was never advertised",
    on=tuple(f"result:{method}" for method in _METHODS),
    covers=("X-09",),
    spec="https://agentclientprotocol.com/protocol/v1/initialization",
    bad=handshake()
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
""",
    good=handshake(agent={"sessionCapabilities": {"list": {}}})
    + """\
-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}
""",
)
def unadvertised_method_accepted(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a result for a method that this peer did not advertise in its handshake.

    ## Why it matters
    Other peers rely on the handshake and never call the method.

    ## Use instead
    Add the capability to the handshake if the method is supported. If the result only looks like
    success, answer with -32601 (method not found).
    """
    gate = gate_of(step.method, step.state.version)
    if gate is None or gate.side is not step.frame.sender or gate.name in memory:
        return
    if lack(step.state, gate):
        memory[gate.name] = True
        yield Remark(
            f"`{step.method}` returned a result, but its capability `{gate.name}` was not advertised",
            see=step.exchange.seq if step.exchange else None,
            hint=f"add {advert(gate)} to the handshake",
        )
