"""A connection is initialized once."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import is_handshake
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript


@rule(
    code="LIF002",
    name="second-initialize",
    severity=Severity.WARNING,
    summary="`initialize` was sent again on the same connection",
    on=("request:initialize", "request:proxy/initialize"),
    covers=("INI-17", "NET-08"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0"}}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def second_initialize(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a second `initialize` on a connection that is already initialized, and a second
    `proxy/initialize`. A second attempt after the first was refused is allowed.

    ## Why it matters
    The specification does not define it. An agent may refuse it, drop its sessions or use outdated
    capabilities.

    ## Use instead
    Keep the first result, or open a new connection to negotiate again.
    """
    if not is_handshake(step):
        return
    state = step.state
    asked = next(iter(state.pending.for_method(step.method)), None)
    if asked is not None or state.phase is Phase.READY:
        yield Remark(
            f"`{step.method}` was sent again; expected once per connection",
            at="/method",
            see=asked.seq if asked else memory.get("first"),
            hint="keep the first result, or start the agent again",
        )
    memory.setdefault("first", step.frame.seq)
