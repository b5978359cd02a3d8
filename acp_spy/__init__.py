"""
Wireshark and VCR for the Agent Client Protocol.

The names below are the public ones. They are looked up on first use, because `acp-spy -- agent`
imports this package too, and must have started the agent before it loads anything heavy.
"""

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from typing import Any

    from acp_spy.capture.conversation import Conversation, Exchange, Session, ToolCall, Turn
    from acp_spy.capture.files import load, save
    from acp_spy.capture.records import (
        Capture,
        Closed,
        Delivery,
        Disconnect,
        Exit,
        Header,
        HttpExchange,
        Stderr,
    )
    from acp_spy.comparison.capture_diff import CaptureDiff, diff
    from acp_spy.errors import AcpSpyError
    from acp_spy.lint.rule import Finding, Rule, Severity
    from acp_spy.lint.ruleset import check
    from acp_spy.replay.divergence import Divergence, explain
    from acp_spy.replay.live_conversation import Said
    from acp_spy.replay.options import Options
    from acp_spy.replay.player import Player
    from acp_spy.replay.script import Script
    from acp_spy.secrets.redact import redact
    from acp_spy.view.findings.clean import assert_clean
    from acp_spy.view.stats.collect import stats
    from acp_spy.view.stats.model import Stats
    from acp_spy.wire.frame import Frame, Peer, Via

__version__ = "0.1.0"

__all__ = [
    "AcpSpyError",
    "Capture",
    "CaptureDiff",
    "Closed",
    "Conversation",
    "Delivery",
    "Disconnect",
    "Divergence",
    "Exchange",
    "Exit",
    "Finding",
    "Frame",
    "Header",
    "HttpExchange",
    "Options",
    "Peer",
    "Player",
    "Rule",
    "Said",
    "Script",
    "Session",
    "Severity",
    "Stats",
    "Stderr",
    "ToolCall",
    "Turn",
    "Via",
    "assert_clean",
    "check",
    "diff",
    "explain",
    "load",
    "redact",
    "save",
    "stats",
]

_HOMES = {
    "AcpSpyError": "acp_spy.errors",
    "Capture": "acp_spy.capture.records",
    "CaptureDiff": "acp_spy.comparison.capture_diff",
    "Closed": "acp_spy.capture.records",
    "Delivery": "acp_spy.capture.records",
    "Conversation": "acp_spy.capture.conversation",
    "Disconnect": "acp_spy.capture.records",
    "Divergence": "acp_spy.replay.divergence",
    "Exchange": "acp_spy.capture.conversation",
    "Exit": "acp_spy.capture.records",
    "Finding": "acp_spy.lint.rule",
    "Frame": "acp_spy.wire.frame",
    "Header": "acp_spy.capture.records",
    "HttpExchange": "acp_spy.capture.records",
    "Options": "acp_spy.replay.options",
    "Peer": "acp_spy.wire.frame",
    "Player": "acp_spy.replay.player",
    "Rule": "acp_spy.lint.rule",
    "Said": "acp_spy.replay.live_conversation",
    "Script": "acp_spy.replay.script",
    "Session": "acp_spy.capture.conversation",
    "Severity": "acp_spy.lint.rule",
    "Stats": "acp_spy.view.stats.model",
    "Stderr": "acp_spy.capture.records",
    "ToolCall": "acp_spy.capture.conversation",
    "Turn": "acp_spy.capture.conversation",
    "Via": "acp_spy.wire.frame",
    "assert_clean": "acp_spy.view.findings.clean",
    "check": "acp_spy.lint.ruleset",
    "diff": "acp_spy.comparison.capture_diff",
    "explain": "acp_spy.replay.divergence",
    "load": "acp_spy.capture.files",
    "redact": "acp_spy.secrets.redact",
    "save": "acp_spy.capture.files",
    "stats": "acp_spy.view.stats.collect",
}


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
