"""A tool call shows an existing terminal."""

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
    is_first,
)
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

# A key of a tool call's `_meta`, and the key with which a client advertises it.
_EXTENSIONS = {"terminal_info": "terminal_output", "terminal_exit": "terminal_output"}


@rule(
    code="LIF120",
    name="terminal-content-without-terminal",
    severity=Severity.WARNING,
    summary="A tool call shows a terminal that does not exist",
    on=("content:terminal", "result:terminal/create", "unmatched", "lost"),
    covers=("TLC-12",),
    spec="https://agentclientprotocol.com/protocol/terminals#embedding-in-tool-calls",
    bad=TERMINAL + _RELEASE + _EMBED + END,
    good=TERMINAL + _EMBED + _RELEASE + END,
)
def terminal_content_without_terminal(
    step: Step, facts: Facts, shown: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports tool call content of type `terminal` whose `terminalId` was not returned by
    `terminal/create` in the same session, or was already released. A terminal that may have been
    returned in a broken frame is not reported, nor is one of an extension that the client advertised
    (`_meta.terminal_output`, with which the agent sends the output in `_meta`). A terminal that was
    never created is an error.

    ## Why it matters

    The client does not find the terminal. The user sees an empty box, or the client drops the whole
    update with its status.

    ## Use instead

    Send the content after `terminal/create` returns and before `terminal/release`. A terminal that
    was shown before its release stays visible.
    """
    if isinstance(step.message, Response | Unreadable):
        for lost in named(step, "terminalId"):
            remember(shown, lost)
        return
    if step.state.version == 2:
        return
    place, sent = facts.tool_call
    for i, item in entries(sent.get("content")):
        name = item.get("terminalId")
        if item.get("type") != "terminal" or not isinstance(name, str):
            continue
        if _is_of_extension(step, sent):
            remember(shown, name)
            continue
        if name in shown and name not in step.state.terminals:
            continue
        why, seq = _why_not(step, facts, name)
        if is_first(shown, (step.session.id if step.session else "", name)) and why:
            yield Remark(
                f"content shows terminal `{name}`, {why}; expected an existing terminal",
                at=f"{place}/content/{i}/terminalId",
                see=seq,
                severity=Severity.ERROR if seq is None else None,
                hint="create the terminal, show it, then release it",
            )


def _is_of_extension(step: Step, sent: dict[str, Any]) -> bool:
    """Return whether the `_meta` of a tool call is of an extension that the client advertised."""
    advertised = fields(fields(step.state.capabilities.get(Peer.CLIENT)).get("_meta"))
    keys = (key for key in fields(sent.get("_meta")) if "terminal" in key)
    return any(advertised.get(_EXTENSIONS.get(key, key)) for key in keys)


def _why_not(step: Step, facts: Facts, name: str) -> tuple[str, int | None]:
    """Return what is wrong with a terminal, for a sentence, and the frame that created it."""
    if facts.is_replayed:
        return "", None
    terminal = step.state.terminals.get(name)
    if terminal is None:
        return "but no `terminal/create` returned that id", None
    if terminal.released:
        return "but it was already released", terminal.seq
    if terminal.session != fields(step.body).get("sessionId"):
        return f"but it belongs to session `{terminal.session}`", terminal.seq
    return "", None
