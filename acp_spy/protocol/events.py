"""
What a message means in ACP, free of version and dialect.

An event is what the tracker folds and the views show: it says that a turn ended, not that a
response to `session/prompt` had a `stopReason`. Fields hold what was sent, however wrong: a
missing or ill-typed value is `None`, and judging it is the linter's business.
"""

from typing import Any

import msgspec

# Where there is but one session, and nobody has to name it.
ONLY_SESSION = "(the only session)"


class Event(msgspec.Struct, frozen=True):
    """Something that a message brought about."""


class InitializeAsked(Event, frozen=True):
    """The client opened the conversation."""

    version: Any
    capabilities: Any
    info: Any


class InitializeAnswered(Event, frozen=True):
    """The agent agreed to it."""

    version: Any
    capabilities: Any
    info: Any
    auth_methods: Any


class SessionAsked(Event, frozen=True):
    """The client asked for a session: `how` is new, load, resume or fork."""

    how: str
    session: str | None
    cwd: Any


class SessionOpened(Event, frozen=True):
    """A session is there: its id is new, or the one that was asked for."""

    how: str
    session: str | None
    cwd: Any
    modes: Any = None
    config: Any = None


class SessionsListed(Event, frozen=True):
    """The agent named sessions that exist."""

    sessions: tuple[str, ...]
    cwds: tuple[Any, ...] = ()  # of each


class SessionClosed(Event, frozen=True):
    """A session was closed, or deleted (`how`)."""

    how: str
    session: str | None


class TurnStarted(Event, frozen=True):
    """The client prompted."""

    session: str | None
    prompt: Any


class TurnEnded(Event, frozen=True):
    """The agent's turn is over; `stop_reason` is `None` when it ended in an error."""

    session: str | None
    stop_reason: Any


class TurnCancelled(Event, frozen=True):
    """The client asked for the end of a turn."""

    session: str | None


class Said(Event, frozen=True):
    """Text was streamed; `role` is user, agent or thought."""

    session: str | None
    role: str
    content: Any
    message_id: Any = None


class ToolCallChanged(Event, frozen=True):
    """A tool call was announced (`is_new`) or changed; `fields` are the update's."""

    session: str | None
    tool_call: str | None
    is_new: bool
    fields: dict[str, Any]


class PlanChanged(Event, frozen=True):
    """The agent told its plan."""

    session: str | None
    entries: Any


class PermissionAsked(Event, frozen=True):
    """The agent asked for leave."""

    session: str | None
    tool_call: str | None
    options: Any


class PermissionAnswered(Event, frozen=True):
    """The client gave it or not; `kind` is the option's, where the question does not tell."""

    session: str | None
    tool_call: str | None
    outcome: Any
    option: Any
    kind: str = ""


class ModeChanged(Event, frozen=True):
    """The session's mode is another now."""

    session: str | None
    mode: Any


class ConfigChanged(Event, frozen=True):
    """The session's options, complete."""

    session: str | None
    options: Any


class CommandsChanged(Event, frozen=True):
    """The session's slash commands, complete."""

    session: str | None
    commands: Any


class TerminalCreated(Event, frozen=True):
    """The client started a command for the agent."""

    session: str | None
    terminal: str | None


class TerminalReleased(Event, frozen=True):
    """The agent gave a terminal back."""

    session: str | None
    terminal: str | None


class StateChanged(Event, frozen=True):
    """Version 2: the session is running, idle or waiting."""

    session: str | None
    state: Any
    stop_reason: Any


class OtherUpdate(Event, frozen=True):
    """An update without an event of its own."""

    session: str | None
    name: Any
    fields: dict[str, Any]


class HistoryReplayed(Event, frozen=True):
    """What was said and done before is told again, all in one answer; only in a dialect."""

    session: str | None
    events: tuple[Event, ...]


class Several(Event, frozen=True):
    """One message brings about several things in one session; only in a dialect."""

    session: str | None
    events: tuple[Event, ...]
