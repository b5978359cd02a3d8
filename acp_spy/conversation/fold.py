"""How each event changes the state: one small function for each."""

from collections.abc import Callable
from typing import Any

import msgspec

from acp_spy.conversation.mcp import note_servers
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import (
    REMEMBERED,
    AgentTerminal,
    Conversation,
    Phase,
    Session,
    Step,
    Terminal,
    ToolCall,
    Turn,
)
from acp_spy.conversation.updates import note_update
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.values import fields


def fold(state: Conversation, step: Step) -> None:
    """Take what `step` brings about into `state`."""
    event = step.event
    change = _FOLDS.get(type(event))
    if change is not None:
        change(state, step, event)
    elif step.method == "elicitation/create":
        _user_asked(step)


def withdraw(state: Conversation, step: Step, sender: Peer) -> None:
    """Take in that `sender` no longer wants the answer to one of its requests."""
    wanted = step.body.get("requestId") if isinstance(step.body, dict) else None
    try:
        key = sender, msgspec.json.encode(wanted)
    except (OverflowError, RecursionError):  # an integer that no id can be, or worse
        return
    if exchange := state.pending.get(key):
        exchange.cancelled_at = step.frame.t


def _initialize_asked(state: Conversation, _step: Step, event: ev.InitializeAsked) -> None:
    state.phase = Phase.INITIALIZING
    state.asked_version = event.version
    state.capabilities[Peer.CLIENT] = event.capabilities
    state.info[Peer.CLIENT] = event.info


def _initialize_answered(state: Conversation, step: Step, event: ev.InitializeAnswered) -> None:
    state.phase = Phase.READY
    state.version = event.version
    state.capabilities[Peer.AGENT] = event.capabilities
    state.info[Peer.AGENT] = event.info
    state.auth_methods = event.auth_methods
    asked = step.exchange.params if step.exchange else None
    if isinstance(asked, dict) and "capabilities" in asked and "clientCapabilities" in asked:
        # A client of both versions spoke for either; from here on one counts.
        of_version = "capabilities" if event.version == 2 else "clientCapabilities"
        state.capabilities[Peer.CLIENT] = asked[of_version]


def _session_asked(state: Conversation, step: Step, event: ev.SessionAsked) -> None:
    session = state.sessions.get(event.session or "")
    with_history = event.how == "load" or fields(step.body).get("replayFrom") is not None
    if session is not None and with_history:
        session.tool_calls, session.terminals = {}, {}  # the agent tells them again
    note_servers(state, step.body, event.session)


def _session_opened(state: Conversation, step: Step, event: ev.SessionOpened) -> None:
    if event.session is None:
        return
    session = Session(event.session, step.frame.seq, event.how, event.cwd)
    session.modes, session.config = event.modes, event.config
    session.opened_at, via = step.frame.t, step.frame.via
    session.may_have_overtaken = via is not None and via.may_overtake_updates
    if step.exchange is not None and isinstance(step.exchange.params, dict):
        note_servers(state, step.exchange.params, event.session)
        session.directories = step.exchange.params.get("additionalDirectories")
    if isinstance(event.modes, dict):
        session.mode = event.modes.get("currentModeId")
    known = state.sessions.get(event.session)
    if known is not None:  # updates came first, or it is loaded again
        session.turns, session.tool_calls = known.turns, known.tool_calls
        session.commands, session.turn_count = known.commands, known.turn_count
        session.state, session.terminals = known.state, known.terminals
        session.readings = known.readings
    remember(state.sessions, event.session, session, most=REMEMBERED)


def _sessions_listed(state: Conversation, step: Step, event: ev.SessionsListed) -> None:
    for name, cwd in zip(event.sessions, event.cwds, strict=False):
        if name not in state.sessions:
            remember(
                state.sessions, name, Session(name, step.frame.seq, "listed", cwd), most=REMEMBERED
            )


def _session_closed(state: Conversation, _step: Step, event: ev.SessionClosed) -> None:
    if session := state.sessions.get(event.session or ""):
        session.closed = event.how


def _turn_started(state: Conversation, step: Step, _event: ev.TurnStarted) -> None:
    session = _session(state, step)
    if session is not None and step.exchange is not None:
        state.turn_count += 1
        session.turns.start(Turn(step.exchange, state.turn_count))
        session.turn_count += 1
        session.stray = None


def _turn_ended(_state: Conversation, step: Step, _event: ev.TurnEnded) -> None:
    if step.session is None:
        return
    if turn := step.session.turns.of(step.exchange):
        step.session.turns.end(turn)
        step.session.last_turn_cancelled = turn.cancelled_at is not None
    step.session.last_turn_end = step.frame.t


def _turn_cancelled(_state: Conversation, step: Step, _event: ev.TurnCancelled) -> None:
    for turn in reversed(step.session.turns) if step.session else ():
        if turn.cancelled_at is not None:  # then all before it are, and it changes nothing
            break
        turn.cancelled_at = step.frame.t
        turn.cancelled_seq = step.frame.seq


def _said(state: Conversation, step: Step, event: ev.Event) -> Session | None:
    session = _session(state, step)
    if session is not None:
        note_update(session, step.frame, event)
    return session


def _tool_call_changed(state: Conversation, step: Step, event: ev.ToolCallChanged) -> None:
    session = _said(state, step, event)
    if session is not None:
        note_tool_call(session, step.frame, event)


def note_tool_call(session: Session, frame: Frame, event: ev.ToolCallChanged) -> None:
    """Take in what an update says of a tool call."""
    if event.tool_call is None:
        return
    if event.tool_call in session.tool_calls:  # faster than `get`
        call = session.tool_calls[event.tool_call]
    else:
        call = ToolCall(event.tool_call, frame.seq, announced=event.is_new)
        remember(session.tool_calls, event.tool_call, call, most=REMEMBERED)
    sent = event.fields
    if event.is_new:
        call.announced = True
    if "status" in sent and type(sent["status"]) is str:  # faster than `get` for what is not there
        call.status = sent["status"]
    if "title" in sent and type(sent["title"]) is str:
        call.title = sent["title"]
    if "kind" in sent and type(sent["kind"]) is str:
        call.kind = sent["kind"]
    if "name" in sent and type(sent["name"]) is str and not call.name:
        call.name = sent["name"]
    if call.status == "in_progress":
        call.ran = True
    if "capabilities" in sent:
        _offer(call, sent["capabilities"], frame.t)


def _offer(item: ToolCall | AgentTerminal, capabilities: Any, t: float) -> None:
    """Note whether a client may cancel this; an offer replaces the whole of the last one."""
    offered = isinstance(capabilities, dict) and isinstance(capabilities.get("cancel"), dict)
    if item.cancellable and not offered:
        item.withdrawn_at = t
    item.cancellable = offered


def _other_update(state: Conversation, step: Step, event: ev.OtherUpdate) -> None:
    session = _said(state, step, event)
    if session is None:
        return
    if event.name == "terminal_update":
        _terminal_updated(session, step, event.fields)
    elif event.name == "subagent_update" and isinstance(
        child := event.fields.get("sessionId"), str
    ):
        known = state.sessions.get(child)
        if known is None:
            remember(
                state.sessions, child, Session(child, step.frame.seq, "subagent"), most=REMEMBERED
            )
        elif known.how == "used":
            known.how = "subagent"


def _terminal_updated(session: Session, step: Step, fields: dict[str, Any]) -> None:
    if not isinstance(name := fields.get("terminalId"), str):
        return
    terminal = session.terminals.get(name)
    if terminal is None:
        terminal = AgentTerminal(name, step.frame.seq)
        remember(session.terminals, name, terminal, most=REMEMBERED)
    if fields.get("command") is not None:
        terminal.command = fields["command"]
    if "exitStatus" in fields:
        terminal.exited = isinstance(fields["exitStatus"], dict)
    if "capabilities" in fields:
        _offer(terminal, fields["capabilities"], step.frame.t)


def _user_asked(step: Step) -> None:
    if step.session and (turn := step.session.turn):
        turn.has_asked = True


def _permission_asked(_state: Conversation, step: Step, event: ev.PermissionAsked) -> None:
    _user_asked(step)
    if step.session and event.tool_call and (call := step.session.tool_calls.get(event.tool_call)):
        call.permission = "asked"


def _permission_answered(_state: Conversation, step: Step, event: ev.PermissionAnswered) -> None:
    if step.session and event.tool_call and (call := step.session.tool_calls.get(event.tool_call)):
        asked = fields(step.exchange.params) if step.exchange else {}
        offered = kind_of_option(event.option, asked.get("options"))
        call.permission = event.kind or offered or "cancelled"


def _mode_changed(state: Conversation, step: Step, event: ev.ModeChanged) -> None:
    if session := _session(state, step):
        session.mode = event.mode


def _config_changed(state: Conversation, step: Step, event: ev.ConfigChanged) -> None:
    session = _session(state, step)
    if session and isinstance(event.options, list):
        session.config = event.options


def _commands_changed(state: Conversation, step: Step, event: ev.CommandsChanged) -> None:
    if session := _session(state, step):
        session.commands = event.commands


def _terminal_created(state: Conversation, step: Step, event: ev.TerminalCreated) -> None:
    if event.terminal is not None:
        terminal = Terminal(event.terminal, step.frame.seq, event.session)
        remember(state.terminals, event.terminal, terminal, most=REMEMBERED)


def _terminal_released(state: Conversation, _step: Step, event: ev.TerminalReleased) -> None:
    if terminal := state.terminals.get(event.terminal or ""):
        terminal.released = True


def _state_changed(state: Conversation, step: Step, event: ev.StateChanged) -> None:
    session = _session(state, step)
    if session is None:
        return
    session.state = event.state
    if event.state == "idle":  # ends the turns whose prompt was accepted
        ended = [
            turn
            for turn in session.turns
            if state.pending.get((turn.exchange.sender, turn.exchange.id)) is not turn.exchange
        ]
        for turn in ended:
            session.turns.end(turn)
            session.last_turn_cancelled = turn.cancelled_at is not None
            session.last_turn_end = step.frame.t


def _several(state: Conversation, step: Step, event: ev.Several) -> None:
    for one in event.events:
        if change := _FOLDS.get(type(one)):
            change(state, step, one)


def _session(state: Conversation, step: Step) -> Session | None:
    """Return the session that a message names; one that nobody opened is noted as used."""
    name = getattr(step.event, "session", None)
    if name is None:
        return None
    session = state.sessions.get(name)
    if session is None:
        session = Session(name, step.frame.seq, "used")
        remember(state.sessions, name, session, most=REMEMBERED)
    return session


def kind_of_option(option: Any, options: Any) -> str:
    """Return the kind of the option that was chosen."""
    for offered in options if isinstance(options, list) else ():
        if isinstance(offered, dict) and offered.get("optionId") == option:
            return str(offered.get("kind", ""))
    return ""


_FOLDS: dict[type, Callable[[Conversation, Step, Any], object]] = {
    ev.InitializeAsked: _initialize_asked,
    ev.InitializeAnswered: _initialize_answered,
    ev.SessionAsked: _session_asked,
    ev.SessionOpened: _session_opened,
    ev.SessionsListed: _sessions_listed,
    ev.SessionClosed: _session_closed,
    ev.TurnStarted: _turn_started,
    ev.TurnEnded: _turn_ended,
    ev.TurnCancelled: _turn_cancelled,
    ev.Said: _said,
    ev.PlanChanged: _said,
    ev.OtherUpdate: _other_update,
    ev.ToolCallChanged: _tool_call_changed,
    ev.PermissionAsked: _permission_asked,
    ev.PermissionAnswered: _permission_answered,
    ev.ModeChanged: _mode_changed,
    ev.ConfigChanged: _config_changed,
    ev.CommandsChanged: _commands_changed,
    ev.TerminalCreated: _terminal_created,
    ev.TerminalReleased: _terminal_released,
    ev.StateChanged: _state_changed,
    ev.Several: _several,
}
