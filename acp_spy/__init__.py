"""
Wireshark and VCR for the Agent Client Protocol.

The names below are the public ones. They are looked up on first use, because `acp-spy -- agent`
imports this package too, and must have started the agent before it loads anything heavy.
"""

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from typing import Any

    from acp_spy.capture.files import load
    from acp_spy.capture.records import Capture, Closed, Exit, Header, Stderr
    from acp_spy.errors import AcpSpyError
    from acp_spy.lint.rule import Finding, Rule, Severity
    from acp_spy.lint.ruleset import check
    from acp_spy.replay.divergence import Divergence, explain
    from acp_spy.replay.live_conversation import Said
    from acp_spy.replay.options import Options
    from acp_spy.replay.player import Player
    from acp_spy.replay.script import Script
    from acp_spy.view.findings.clean import assert_clean
    from acp_spy.wire.frame import Frame, Peer

__version__ = "0.1.0"

__all__ = [
    "AcpSpyError",
    "Capture",
    "Closed",
    "Divergence",
    "Exit",
    "Finding",
    "Frame",
    "Header",
    "Options",
    "Peer",
    "Player",
    "Rule",
    "Said",
    "Script",
    "Severity",
    "Stderr",
    "assert_clean",
    "check",
    "explain",
    "load",
]

_HOMES = {
    "AcpSpyError": "acp_spy.errors",
    "Capture": "acp_spy.capture.records",
    "Closed": "acp_spy.capture.records",
    "Divergence": "acp_spy.replay.divergence",
    "Exit": "acp_spy.capture.records",
    "Finding": "acp_spy.lint.rule",
    "Frame": "acp_spy.wire.frame",
    "Header": "acp_spy.capture.records",
    "Options": "acp_spy.replay.options",
    "Peer": "acp_spy.wire.frame",
    "Player": "acp_spy.replay.player",
    "Rule": "acp_spy.lint.rule",
    "Said": "acp_spy.replay.live_conversation",
    "Script": "acp_spy.replay.script",
    "Severity": "acp_spy.lint.rule",
    "Stderr": "acp_spy.capture.records",
    "assert_clean": "acp_spy.view.findings.clean",
    "check": "acp_spy.lint.ruleset",
    "explain": "acp_spy.replay.divergence",
    "load": "acp_spy.capture.files",
}


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
