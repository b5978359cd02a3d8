"""A tool call shows a terminal that is there."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import named
from acp_spy.lint.rules.lifecycle._opening import END, TERMINAL
from acp_spy.lint.rules.lifecycle._reading import (
    entries,
    is_being_loaded,
    is_first,
)
from acp_spy.protocol.capability_gates import V1, is_advertised
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response, Unreadable
from acp_spy.wire.values import fields

_EMBED = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "status": "completed", "content": [{"type": "terminal", "terminalId": "term_1"}]}}}
"""
_RELEASE = """
        <- {"jsonrpc": "2.0", "id": 1, "method": "terminal/release", "params": {"sessionId": "s1", "terminalId": "term_1"}}
        -> {"jsonrpc": "2.0", "id": 1, "result": {}}
"""


@rule(
    code="LIF120",
    name="terminal-content-without-terminal",
    severity=Severity.WARNING,
    summary="A tool call shows a terminal that does not exist, or no longer",
    on=("contents", "result:terminal/create", "unmatched", "lost"),
    covers=("TLC-12",),
    spec="https://agentclientprotocol.com/protocol/terminals#embedding-in-tool-calls",
    bad=TERMINAL + _RELEASE + _EMBED + END,
    good=TERMINAL + _EMBED + _RELEASE + END,
)
def terminal_content_without_terminal(
    step: Step, facts: Facts, shown: dict[Any, Any]
) -> Iterator[Remark]:
    """
    Tool call content of type `terminal` names a terminal that `terminal/create` has returned in the
    same session. It is added before the terminal is released.

    A client looks the id up. If it finds nothing, the user sees an empty box or the whole update is
    dropped, with the status that it carried. A terminal that was shown before its release goes on
    being shown, so the order is: create, show, release.

    Show the terminal right after `terminal/create` returns. One that was returned in a broken frame
    is passed over.
    """
    if isinstance(step.message, Response | Unreadable):
        for lost in named(step, "terminalId"):
            remember(shown, lost)
        return
    if step.state.version == 2 or not is_advertised(
        step.state.capabilities.get(Peer.CLIENT), V1.tool_contents["terminal"]
    ):
        return
    place, sent = facts.tool_call
    if any("terminal" in key for key in fields(sent.get("_meta"))):
        return  # an extension that brings its own terminals
    for i, item in entries(sent.get("content")):
        name = item.get("terminalId")
        if item.get("type") != "terminal" or not isinstance(name, str):
            continue
        if name in shown and name not in step.state.terminals:
            continue
        why, seq = _why_not(step, name)
        if is_first(shown, (step.session.id if step.session else "", name)) and why:
            yield Remark(
                f"content shows terminal `{name}`, {why}",
                at=f"{place}/content/{i}/terminalId",
                see=seq,
                hint="create the terminal, show it, and release it only then",
            )


def _why_not(step: Step, name: str) -> tuple[str, int | None]:
    """Return what is wrong with a terminal, as the end of a sentence, and where it was created."""
    if is_being_loaded(step):
        return "", None
    terminal = step.state.terminals.get(name)
    if terminal is None:
        return "but no `terminal/create` has returned that id", None
    if terminal.released:
        return "but it was released before it was shown", terminal.seq
    if terminal.session != fields(step.body).get("sessionId"):
        return f"but that belongs to session `{terminal.session}`", terminal.seq
    return "", None
