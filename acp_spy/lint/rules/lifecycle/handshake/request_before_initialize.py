"""`initialize` is answered before any other request is sent."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.pairing import ids_in, meant_by
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._examples import (
    HANDSHAKE,
    INITIALIZE,
    INITIALIZED,
    NEW_SESSION,
    transcript,
)
from acp_spy.protocol.tables import spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response, Unreadable

_EXTENSION = ("_", "$/")


@rule(
    code="LIF001",
    name="request-before-initialize",
    severity=Severity.ERROR,
    summary="A request was sent before `initialize` was answered",
    on=("request", "unmatched", "lost"),
    covers=("INI-01", "SES-01", "NET-07"),
    spec="https://agentclientprotocol.com/protocol/initialization",
    bad=transcript(
        INITIALIZE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        """,
        INITIALIZED,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def request_before_initialize(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports the first request that is sent before `initialize` was answered with a result.

    ## Why it matters
    The response to `initialize` sets the version and the capabilities of both peers. An earlier
    request relies on neither, and many agents refuse it.

    ## Use instead
    Send `initialize` first and wait for its result. If it is answered with an error, do not use the
    connection.
    """
    state = step.state
    if state.phase is Phase.READY or state.version is not None or memory:
        return
    if isinstance(step.message, Response):
        memory["answered under another id"] = True
        return
    if isinstance(step.message, Unreadable):
        if _is_answer(step):
            memory["answered in a broken frame"] = True
        return
    is_extension = step.method.startswith(_EXTENSION)
    if step.method == "initialize" or not (is_extension or _is_official(step.method)):
        return
    memory["reported"] = True
    asked = next(iter(state.pending.for_method("initialize")), None)
    if asked is not None:
        when = "while `initialize` was pending; expected its result first"
    elif state.phase is Phase.INITIALIZING:
        when = "although `initialize` was refused; expected it to succeed first"
    else:
        when = "before `initialize`; expected `initialize` first"
    yield Remark(
        f"`{step.method}` was sent {when}",
        at="/method",
        see=asked.seq if asked else None,
        severity=Severity.WARNING if is_extension else None,
        hint="wait for the result of `initialize` before sending anything else",
    )


def _is_answer(step: Step) -> bool:
    """Return whether an unreadable line may have been the response to `initialize`."""
    if step.frame.sender is not Peer.AGENT:
        return False
    return any(
        exchange.method == "initialize"
        for ident in set(ids_in(step.frame.raw))
        for peer in Peer
        for exchange in meant_by(step.state, peer, ident)
    )


def _is_official(method: str) -> bool:
    """Return whether any edition defines this method; RPC013 reports unknown ones."""
    if method.startswith("proxy/"):
        return False  # `proxy/initialize` is a handshake of its own
    return any(spec(name).find(method) for name in ("v1-unstable", "v2-unstable"))
