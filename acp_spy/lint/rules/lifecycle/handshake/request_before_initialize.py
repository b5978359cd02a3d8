"""Nothing is asked before the handshake is done."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Phase, Step
from acp_spy.lint.pairing import ids_in, plain
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
    covers=("INI-01", "SES-01"),
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
    The answer to `initialize` settles the version and what each peer can do. A request that is
    sent before it has arrived is a guess about both, and many agents refuse it.

    Send `initialize` first, wait for its result, then go on. If it was answered with an error,
    there is no connection to go on with. Only the first such request is reported.
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
    asked = next((e for e in state.pending.values() if e.method == "initialize"), None)
    if asked is not None:
        when = "while `initialize` is still unanswered; its result has to come first"
    elif state.phase is Phase.INITIALIZING:
        when = "though `initialize` was refused; it has to succeed first"
    else:
        when = "before `initialize`, which has to come first"
    yield Remark(
        f"`{step.method}` is sent {when}",
        at="/method",
        see=asked.seq if asked else None,
        severity=Severity.WARNING if is_extension else None,
        hint="wait for the result of `initialize` before sending anything else",
    )


def _is_answer(step: Step) -> bool:
    """Tell whether a line that could not be read may have been the answer to `initialize`."""
    if step.frame.sender is not Peer.AGENT:
        return False
    ids = set(ids_in(step.frame.raw))
    return any(
        exchange.method == "initialize" and plain(exchange.id) in ids
        for exchange in step.state.pending.values()
    )


def _is_official(method: str) -> bool:
    """Tell whether any edition has this method; strangers are judged elsewhere."""
    if method.startswith("proxy/"):
        return False  # `proxy/initialize` is a handshake of its own
    return any(spec(name).find(method) for name in ("v1-unstable", "v2-unstable"))
