"""
What was said in a capture, as data: sessions, turns, tool calls and exchanges, with their times.

Times are seconds since the start of the capture, as in frames. `ended` is `None` for what is still
open at the end of the capture. `duration` is `None` for that too, and where no times were recorded.
A capture makes these values on demand: see `Capture.conversation`.
"""

from typing import Any

import msgspec

from acp_spy.wire.frame import Peer


class Exchange(msgspec.Struct, frozen=True):
    """
    A request and its response; `sender` sent the request.

    `seq` and `response_seq` are the numbers of the two frames; if acp-spy answered in the other
    peer's place, there is no second. `params`, `result` and `error` are parsed JSON, `None` where
    absent.
    """

    seq: int
    sender: Peer
    method: str
    params: Any
    session: str | None
    started: float
    ended: float | None = None
    duration: float | None = None
    response_seq: int | None = None
    result: Any = None
    error: Any = None

    @property
    def is_open(self) -> bool:
        """Whether there is no response."""
        return self.ended is None


class ToolCall(msgspec.Struct, frozen=True):
    """
    A tool call, from its first mention to the update that ended it.

    `seq` and `last` are the numbers of its first and last frame, `turn` is that of the prompt. If
    `is_replayed`, it belongs to the history of a session that was loaded, and has no duration.
    `permission` is empty if none was requested, then `asked`, then the kind of the option that was
    chosen (`allow_once`), or `cancelled`.
    """

    id: str
    session: str
    turn: int | None
    seq: int
    last: int
    title: str
    kind: str
    status: str
    permission: str
    started: float
    ended: float | None = None
    duration: float | None = None
    is_replayed: bool = False


class Turn(msgspec.Struct, frozen=True):
    """
    A prompt and all that it caused, until its response.

    `seq` is the number of the prompt's frame. `prompt` and `text` are the texts of the prompt and
    of the agent's message, without images and thoughts. `error` is the error of the response.
    """

    seq: int
    session: str
    prompt: str
    text: str
    stop_reason: str | None
    error: Any
    is_cancelled: bool
    started: float
    ended: float | None = None
    duration: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class Session(msgspec.Struct, frozen=True):
    """
    A session, with its turns and tool calls in their order.

    `how` is how it came about: new, load, resume, fork, subagent; or used, if nobody opened it.
    `seq` is the number of the frame that first named it, `started` the time of that frame.
    """

    id: str
    how: str
    cwd: str
    seq: int
    started: float
    turns: tuple[Turn, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


class Conversation(msgspec.Struct, frozen=True):
    """
    All that was said, in the order in which it began.

    `version` is the version that the peers agreed on. `client_info` and `agent_info` are how the
    peers introduced themselves, and empty if they did not.
    """

    version: int | None
    client_info: dict[str, Any]
    agent_info: dict[str, Any]
    sessions: tuple[Session, ...]
    exchanges: tuple[Exchange, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of all sessions."""
        turns = (turn for session in self.sessions for turn in session.turns)
        return tuple(sorted(turns, key=lambda turn: turn.started))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of all sessions."""
        calls = (call for session in self.sessions for call in session.tool_calls)
        return tuple(sorted(calls, key=lambda call: call.started))
