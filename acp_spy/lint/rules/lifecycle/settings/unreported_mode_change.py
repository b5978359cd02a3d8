"""The agent reports when it changes the mode."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Session, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._offers import mode_ids
from acp_spy.lint.rules.lifecycle._opening import OPTIONS
from acp_spy.lint.rules.lifecycle._reading import entries
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

_PROMPT = """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "Start with the plan"}]}}
"""
_OPTION = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "config_option_update", "configOptions": [{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "code", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}, {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}, {"id": "web", "name": "Search the web", "type": "boolean", "currentValue": false}]}}}
"""
_MODE = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "current_mode_update", "currentModeId": "code"}}}
"""
_END = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done"}}}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
"""


@rule(
    code="LIF153",
    name="unreported-mode-change",
    severity=Severity.WARNING,
    summary="The mode changed without a `current_mode_update`",
    on=(
        "SessionOpened",
        "ModeChanged",
        "ConfigChanged",
        "TurnStarted",
        "TurnEnded",
        "end",
    ),
    version=1,
    covers=("CFG-10",),
    spec="https://agentclientprotocol.com/protocol/session-modes#from-the-agent",
    since="0.2",
    bad=OPTIONS + _PROMPT + _OPTION + _END,
    good=OPTIONS + _PROMPT + _OPTION + _MODE + _END,
)
def unreported_mode_change(moment: Step | Ending, changes: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports that the agent changed the mode of a session that offers `modes`, without a
    `current_mode_update` before the end of the turn. The change is seen in the config option of
    category `mode`. A completed tool call of kind `switch_mode` without either update is a note. A
    change that the client requested is not reported.

    ## Why it matters

    A client that shows `modes` still shows the old one. The user may believe that the agent asks
    before it edits when it does not.

    ## Use instead

    Send `current_mode_update` whenever the agent changes the mode.
    """
    if isinstance(moment, Ending):
        for name, known in moment.state.sessions.items():
            yield from _report(known, changes.pop(name, None))
        return
    session, event = moment.session, moment.event
    if session is None or not session.modes:
        return
    if isinstance(event, ev.SessionOpened | ev.TurnStarted | ev.TurnEnded):
        yield from _report(session, changes.pop(session.id, None))
    if isinstance(event, ev.ConfigChanged):
        _note_options(moment, session, event, changes)
    elif isinstance(event, ev.ModeChanged):
        changes.pop(session.id, None)
        remember(changes, ("reported", session.id), moment.frame.seq)
    elif isinstance(event, ev.TurnEnded):
        yield from _switched(moment, session, changes.get(("reported", session.id), 0))


def _note_options(
    step: Step, session: Session, event: ev.ConfigChanged, changes: dict[Any, Any]
) -> None:
    remember(changes, ("reported", session.id), step.frame.seq)
    if not step.exchange or _is_other_option(step):
        _note(step, session, _mode_in(event.options), changes)


def _is_other_option(step: Step) -> bool:
    """Return whether the client has set something else than the mode."""
    requested = fields(step.exchange.params if step.exchange else None).get("configId")
    listed = entries(fields(step.body).get("configOptions"))
    named = [option for _, option in listed if option.get("id") == requested]
    return bool(named) and all(option.get("category") != "mode" for option in named)


def _mode_in(options: Any) -> Any:
    """Return the value of the option of category `mode`."""
    found = (option for _, option in entries(options) if option.get("category") == "mode")
    return next(found, {}).get("currentValue")


def _note(step: Step, session: Session, mode: Any, changes: dict[Any, Any]) -> None:
    known, offered = session.mode, mode_ids(session)
    if isinstance(mode, str) and isinstance(known, str) and mode != known and mode in offered:
        remember(changes, session.id, (mode, known, step.frame.seq))
    elif mode == known:
        changes.pop(session.id, None)


def _switched(step: Step, session: Session, reported: int) -> Iterator[Remark]:
    """Report a tool call of this turn that switched the mode, if nothing says to which."""
    begun = step.exchange.seq if step.exchange else 0
    if not mode_ids(session) or reported > begun:
        return
    for call in takewhile(lambda call: call.seq > begun, reversed(session.tool_calls.values())):
        if call.kind == "switch_mode" and call.status == "completed":
            yield _remark("a tool call switched the mode", call.seq, Severity.NOTE)
            return


def _report(session: Session, change: tuple[str, str, int] | None) -> Iterator[Remark]:
    if change is not None and session.mode != change[0]:  # else the client has set it meanwhile
        mode, before, seq = change
        yield _remark(f"the mode changed from {quoted(before)} to {quoted(mode)}", seq)


def _remark(text: str, seq: int, severity: Severity | None = None) -> Remark:
    return Remark(
        f"{text}; expected a `current_mode_update`",
        on=seq,
        blame=Peer.AGENT,
        severity=severity,
        hint="send `current_mode_update` whenever the agent changes the mode",
    )
