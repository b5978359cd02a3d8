"""A connection has one handshake."""

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
    on=("request:initialize",),
    covers=("INI-17",),
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
    One connection has one `initialize`. Nobody says what a second one means: an agent may refuse
    it, drop its sessions, or go on with capabilities that the client has meanwhile changed.

    Open a new connection to negotiate again. A second try after the first was refused is fine.
    """
    if not is_handshake(step):
        return
    state = step.state
    asked = next((e for e in state.pending.values() if e.method == "initialize"), None)
    if asked is not None or state.phase is Phase.READY:
        yield Remark(
            "`initialize` is sent again; a connection is initialized once",
            at="/method",
            see=asked.seq if asked else memory.get("first"),
            hint="keep the first result, or start the agent anew",
        )
    memory.setdefault("first", step.frame.seq)
