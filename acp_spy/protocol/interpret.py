"""
Message to event, for the official protocol in both versions.

The same for every version, since a name that two versions share means the same in both, or
differs in shape only. A dialect has an interpreter of its own.
"""

from collections.abc import Callable, Mapping
from typing import Any

from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields, text

Params = Mapping[str, Any]
_UpdateReader = Callable[[str | None, dict[str, Any]], ev.Event]


def interpret_request(method: str, params: Any) -> ev.Event | None:
    """Return what a request or notification brings about, if the tracker cares."""
    read = _CALLS.get(method)
    return read(fields(params)) if read else None


def interpret_response(method: str, params: Any, result: Any) -> ev.Event | None:
    """Return what the answer to `method`, asked with `params`, brings about."""
    read = _ANSWERS.get(method)
    return read(fields(params), fields(result)) if read else None


def interpret_error(method: str, params: Any) -> ev.Event | None:
    """Return what a refusal brings about: a turn ends with it, too."""
    if method == "session/prompt":
        return ev.TurnEnded(text(fields(params).get("sessionId")), None)
    return None


def session_of(params: Any) -> str | None:
    """Return the session that params name."""
    return text(fields(params).get("sessionId"))


def _initialize_asked(p: Params) -> ev.Event:
    capabilities = p.get("clientCapabilities", p.get("capabilities"))
    return ev.InitializeAsked(
        p.get("protocolVersion"), capabilities, p.get("clientInfo", p.get("info"))
    )


def _initialize_answered(_: Params, r: Params) -> ev.Event:
    return ev.InitializeAnswered(
        r.get("protocolVersion"),
        r.get("agentCapabilities", r.get("capabilities")),
        r.get("agentInfo", r.get("info")),
        r.get("authMethods"),
    )


def _session_asked(how: str) -> Callable[[Params], ev.Event]:
    return lambda p: ev.SessionAsked(how, text(p.get("sessionId")), p.get("cwd"))


def _session_opened(how: str) -> Callable[[Params, Params], ev.Event]:
    """Return the reader of an answer: load and resume keep the id that was asked for."""

    def read(p: Params, r: Params) -> ev.Event:
        source = r if how in ("new", "fork") else p
        session = text(source.get("sessionId"))
        return ev.SessionOpened(how, session, p.get("cwd"), r.get("modes"), r.get("configOptions"))

    return read


def _session_closed(how: str) -> Callable[[Params, Params], ev.Event]:
    return lambda p, _: ev.SessionClosed(how, text(p.get("sessionId")))


def _sessions_listed(_: Params, r: Params) -> ev.Event:
    listed = r.get("sessions")
    items = listed if isinstance(listed, list) else []
    named = [item for item in items if text(fields(item).get("sessionId"))]
    return ev.SessionsListed(
        tuple(item["sessionId"] for item in named), tuple(item.get("cwd") for item in named)
    )


def _turn_ended(p: Params, r: Params) -> ev.Event | None:
    if "messageId" in r and "stopReason" not in r:
        return None  # version 2: accepted; the turn ends with a `state_update`
    return ev.TurnEnded(text(p.get("sessionId")), r.get("stopReason"))


def _permission_asked(p: Params) -> ev.Event:
    call = fields(p.get("toolCall"))
    return ev.PermissionAsked(
        text(p.get("sessionId")), text(call.get("toolCallId")), p.get("options")
    )


def _permission_answered(p: Params, r: Params) -> ev.Event:
    outcome, call = fields(r.get("outcome")), fields(p.get("toolCall"))
    return ev.PermissionAnswered(
        text(p.get("sessionId")),
        text(call.get("toolCallId")),
        outcome.get("outcome"),
        outcome.get("optionId"),
    )


def interpret_update(session: str | None, update: dict[str, Any]) -> ev.Event:
    """Return what an update of `session` brings about."""
    name = update.get("sessionUpdate")
    read = _UPDATES.get(name) if type(name) is str else None
    return read(session, update) if read else ev.OtherUpdate(session, name, update)


def _said(role: str) -> _UpdateReader:
    return lambda session, u: ev.Said(session, role, u.get("content"), u.get("messageId"))


def _tool_call(is_new: bool) -> _UpdateReader:
    return lambda session, u: ev.ToolCallChanged(session, text(u.get("toolCallId")), is_new, u)


_CALLS: dict[str, Callable[[Params], ev.Event | None]] = {
    "initialize": _initialize_asked,
    "proxy/initialize": _initialize_asked,
    "session/new": _session_asked("new"),
    "session/load": _session_asked("load"),
    "session/resume": _session_asked("resume"),
    "session/fork": _session_asked("fork"),
    "session/prompt": lambda p: ev.TurnStarted(text(p.get("sessionId")), p.get("prompt")),
    "session/cancel": lambda p: ev.TurnCancelled(text(p.get("sessionId"))),
    "session/request_permission": _permission_asked,
    "session/update": lambda p: interpret_update(text(p.get("sessionId")), fields(p.get("update"))),
}
_ANSWERS: dict[str, Callable[[Params, Params], ev.Event | None]] = {
    "initialize": _initialize_answered,
    "proxy/initialize": _initialize_answered,
    "session/new": _session_opened("new"),
    "session/load": _session_opened("load"),
    "session/resume": _session_opened("resume"),
    "session/fork": _session_opened("fork"),
    "session/list": _sessions_listed,
    "session/close": _session_closed("close"),
    "session/delete": _session_closed("delete"),
    "session/archive": _session_closed("archive"),
    "session/prompt": _turn_ended,
    "session/set_mode": lambda p, _: ev.ModeChanged(text(p.get("sessionId")), p.get("modeId")),
    "session/set_config_option": lambda p, r: ev.ConfigChanged(
        text(p.get("sessionId")), r.get("configOptions")
    ),
    "session/request_permission": _permission_answered,
    "terminal/create": lambda p, r: ev.TerminalCreated(
        text(p.get("sessionId")), text(r.get("terminalId"))
    ),
    "terminal/release": lambda p, _: ev.TerminalReleased(
        text(p.get("sessionId")), text(p.get("terminalId"))
    ),
}
_UPDATES: dict[str, _UpdateReader] = {
    "user_message_chunk": _said("user"),
    "agent_message_chunk": _said("agent"),
    "agent_thought_chunk": _said("thought"),
    "user_message": _said("user"),
    "agent_message": _said("agent"),
    "agent_thought": _said("thought"),
    "tool_call": _tool_call(is_new=True),
    "tool_call_update": _tool_call(is_new=False),
    "plan": lambda session, u: ev.PlanChanged(session, u.get("entries")),
    "current_mode_update": lambda session, u: ev.ModeChanged(session, u.get("currentModeId")),
    "config_option_update": lambda session, u: ev.ConfigChanged(session, u.get("configOptions")),
    "available_commands_update": lambda session, u: ev.CommandsChanged(
        session, u.get("availableCommands")
    ),
    "state_update": lambda session, u: ev.StateChanged(
        session, u.get("state"), u.get("stopReason")
    ),
}
