"""An extension is advertised before it is used."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._reading import is_first
from acp_spy.wire.frame import Peer

_ASKED = """
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1.0.0"}}}
"""
_USED = """
        -> {"jsonrpc": "2.0", "id": 1, "method": "_example.com/open_buffers", "params": {}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
"""


@rule(
    code="LIF151",
    name="unadvertised-extension",
    severity=Severity.NOTE,
    summary="A custom method was used, but no peer advertised an extension",
    on=("custom",),
    covers=("EXT-08",),
    spec="https://agentclientprotocol.com/protocol/extensibility#advertising-custom-capabilities",
    bad=_ASKED
    + """
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
"""
    + _USED,
    good=_ASKED
    + """
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"_meta": {"example.com": {"openBuffers": true}}}, "agentInfo": {"name": "agent", "version": "1.0.0"}}}
"""
    + _USED,
)
def unadvertised_extension(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a method that starts with `_` when neither peer has a `_meta` in its capabilities.
    Extensions should be advertised there. Each method is reported once.

    ## Why it matters

    The other peer cannot know which extensions it may use. A peer that does not know the method
    returns -32601.

    ## Use instead

    Add a key of your own to `_meta` of your capabilities.
    """
    if not step.method.startswith("_") or step.state.version is None:
        return
    if any(_has_meta(step.state.capabilities.get(peer)) for peer in Peer):
        return
    if is_first(reported, step.method):
        yield Remark(
            f"`{step.method}` was used; expected `_meta` in the capabilities to advertise it",
            at="/method",
            hint="advertise extensions in the `_meta` of your capabilities",
        )


def _has_meta(capabilities: Any, depth: int = 4) -> bool:
    """Return whether there is a non-empty `_meta` at any level."""
    if not isinstance(capabilities, dict) or not depth:
        return False
    return bool(capabilities.get("_meta")) or any(
        _has_meta(value, depth - 1) for value in capabilities.values()
    )
