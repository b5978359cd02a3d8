"""Gists of events: what a message means in ACP, whatever its version and dialect."""

from collections.abc import Callable
from typing import Any

from acp_spy.conversation.state import Step, ToolCall
from acp_spy.protocol import events as ev
from acp_spy.units import counted
from acp_spy.view.gists.updates import other_update
from acp_spy.view.gists.words import (
    aside,
    chosen,
    content,
    joined,
    names,
    offers,
    who,
    word,
)
from acp_spy.wire.values import fields, items


def _initialize_asked(_step: Step, event: ev.InitializeAsked) -> str:
    return _handshake(event.info, event.version, offers(event.capabilities))


def _initialize_answered(_step: Step, event: ev.InitializeAnswered) -> str:
    logins = names(items(event.auth_methods), "id", "name")
    handshake = _handshake(event.info, event.version, offers(event.capabilities))
    return joined(handshake, f"login by {logins}" if logins else "", by="; ")


def _handshake(info: Any, version: Any, offered: str) -> str:
    named = joined(who(info), f"version {word(version)}" if word(version) else "")
    return joined(named, f"offers {offered}" if offered else "", by="; ")


def _session_asked(step: Step, event: ev.SessionAsked) -> str:
    servers = items(fields(step.body).get("mcpServers"))
    named = names(servers, "name")
    with_servers = counted(len(servers), "MCP server") + aside(named) if servers else ""
    return joined(event.session, f"in {word(event.cwd)}" if word(event.cwd) else "", with_servers)


def _session_opened(_step: Step, event: ev.SessionOpened) -> str:
    modes = fields(event.modes)
    mode = word(modes.get("currentModeId"))
    others = names(items(modes.get("availableModes")), "id", "name")
    in_mode = f"mode {mode}{aside(f'of {others}' if others else '')}" if mode else ""
    return joined(event.session, in_mode, settings(event.config))


def settings(options: Any) -> str:
    """Return a session's options as `name=value`, without the mode, which is shown separately."""
    return joined(
        *(
            f"{word(option.get('id')) or word(option.get('name'))}={word(option['currentValue'])}"
            for option in map(fields, items(options))
            if word(option.get("currentValue"))
        )
    )


def _sessions_listed(_step: Step, event: ev.SessionsListed) -> str:
    return joined(counted(len(event.sessions), "session"), ", ".join(event.sessions), by=": ")


def _session_closed(_step: Step, event: ev.SessionClosed) -> str:
    done = {"close": "closed", "delete": "deleted", "archive": "archived"}.get(event.how, event.how)
    return joined(event.session, done, by=" ")


def _turn_started(_step: Step, event: ev.TurnStarted) -> str:
    return content(event.prompt)


def _turn_ended(step: Step, event: ev.TurnEnded) -> str:
    usage = fields(fields(step.body).get("usage"))
    total = usage.get("totalTokens")
    tokens = counted(total, "token") if type(total) is int else ""
    return (word(event.stop_reason) or "end of turn") + aside(tokens)


def _turn_cancelled(_step: Step, _event: ev.TurnCancelled) -> str:
    return "cancels the turn"


def _said(_step: Step, event: ev.Said) -> str:
    return content(event.content)


def _tool_call_changed(step: Step, event: ev.ToolCallChanged) -> str:
    update = event.fields
    known = _known(step, event.tool_call)
    title = word(update.get("title")) or (known.title if known else "") or event.tool_call
    kind = word(update.get("kind")) or (known.kind if known else "")
    status = word(update.get("status"))
    places = names(items(update.get("locations")), "path")
    name = f"{title or 'a tool call without id'}{aside(kind)}"
    return joined(
        joined(name, status, by=" → "), f"at {places}" if places and places not in name else ""
    )


def _known(step: Step, call: str | None) -> ToolCall | None:
    return step.session.tool_calls.get(call) if step.session and call else None


def tool_output(event: ev.Event | None) -> str:
    """Return the output of a tool call in an update: text, diffs, terminals."""
    if not isinstance(event, ev.ToolCallChanged):
        return ""
    return joined(*map(_piece, items(event.fields.get("content"))), by="\n")


def _piece(block: Any) -> str:
    part = fields(block)
    match part.get("type"):
        case "diff":
            return f"diff of {word(part.get('path'))}"
        case "terminal":
            return f"terminal {word(part.get('terminalId'))}"
        case _:
            return content(block)


def _plan_changed(_step: Step, event: ev.PlanChanged) -> str:
    return plan(event.entries)


def plan(entries: Any) -> str:
    """Return a plan's progress: how much is done, and what is done now."""
    steps = [fields(entry) for entry in items(entries)]
    done = sum(step.get("status") == "completed" for step in steps)
    now = joined(
        *(word(step.get("content")) for step in steps if step.get("status") == "in_progress")
    )
    ahead = joined(
        *(word(step.get("content")) for step in steps if step.get("status") != "completed")
    )
    current = f"now: {now}" if now else f"ahead: {ahead}" if ahead else ""
    return joined(f"{done}/{len(steps)} done", current)


def _permission_asked(step: Step, event: ev.PermissionAsked) -> str:
    call = fields(fields(step.body).get("toolCall"))
    known = _known(step, event.tool_call)
    title = word(call.get("title")) or (known.title if known else "") or event.tool_call
    choices = names(items(event.options), "name", "label", "optionId", "id", by=" / ")
    return joined(word(title) or "permission", choices, by=": ")


def _permission_answered(step: Step, event: ev.PermissionAnswered) -> str:
    asked = fields(step.exchange.params) if step.exchange else {}
    offered = asked.get("options", asked.get("permission_options"))
    return chosen(offered, event.option) or word(event.option) or word(event.outcome)


def _mode_changed(_step: Step, event: ev.ModeChanged) -> str:
    return f"mode {word(event.mode)}"


def _config_changed(_step: Step, event: ev.ConfigChanged) -> str:
    return settings(event.options)


def _commands_changed(_step: Step, event: ev.CommandsChanged) -> str:
    commands = items(event.commands)
    return joined(counted(len(commands), "command"), names(commands, "name"), by=": ")


def _terminal_created(_step: Step, event: ev.TerminalCreated) -> str:
    return f"terminal {event.terminal}" if event.terminal else ""


def _terminal_released(_step: Step, event: ev.TerminalReleased) -> str:
    return joined("released", event.terminal, by=" ")


def _state_changed(_step: Step, event: ev.StateChanged) -> str:
    return word(event.state) + aside(word(event.stop_reason))


def _other_update(_step: Step, event: ev.OtherUpdate) -> str:
    return other_update(event.name, event.fields)


def _history(step: Step, event: ev.HistoryReplayed) -> str:
    return joined("history", joined(*(_one_of_several(step, one) for one in event.events)), by=": ")


def _several(step: Step, event: ev.Several) -> str:
    return joined(*(_one_of_several(step, one) for one in event.events))


def _one_of_several(step: Step, event: ev.Event) -> str:
    return EVENTS[type(event)](step, event)


EVENTS: dict[type[ev.Event], Callable[[Step, Any], str]] = {
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
    ev.ToolCallChanged: _tool_call_changed,
    ev.PlanChanged: _plan_changed,
    ev.PermissionAsked: _permission_asked,
    ev.PermissionAnswered: _permission_answered,
    ev.ModeChanged: _mode_changed,
    ev.ConfigChanged: _config_changed,
    ev.CommandsChanged: _commands_changed,
    ev.TerminalCreated: _terminal_created,
    ev.TerminalReleased: _terminal_released,
    ev.StateChanged: _state_changed,
    ev.OtherUpdate: _other_update,
    ev.HistoryReplayed: _history,
    ev.Several: _several,
}
