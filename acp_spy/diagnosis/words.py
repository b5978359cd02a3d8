"""The words of a diagnosis: requests, durations, quotations."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from acp_spy.conversation.state import Exchange, Session, Turn
from acp_spy.units import span
from acp_spy.wire.inert import inert
from acp_spy.wire.values import fields, text

if TYPE_CHECKING:
    from acp_spy.diagnosis.evidence import Evidence

LONGEST = 80  # characters of what is quoted
_UPDATES = {
    "agent_message_chunk": "text",
    "agent_thought_chunk": "a thought",
    "user_message_chunk": "the user's message",
    "ToolCallChanged": "a tool call",
    "PlanChanged": "a plan",
}


def quoted(said: str) -> str:
    """Return what a peer said in backquotes, on one line and not longer than 80 characters."""
    shown = inert(" ".join(said.split())).replace("`", "'")
    shown = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    return f"`{shown}`" if shown else "nothing"


def method(exchange: Exchange, *, article: bool = False) -> str:
    """Return a request by its method and frame; with an `article` to begin a sentence with it."""
    named = f"{quoted(exchange.name)} (frame {exchange.seq})"
    return f"The {named}" if article else named


def frames(*numbers: int | None) -> tuple[int, ...]:
    """Return the frames that are evidence, each once, in their order, as far as they are known."""
    return tuple(sorted({number for number in numbers if number}))


def waited(seen: "Evidence", since: float) -> str:
    """Return for how long something has been waited for: ` for 34 s`; nothing without times."""
    if not seen.has_times:
        return ""
    seconds = seen.until - since
    return f" for {span(seconds)}" if seconds >= 0.001 else ""


def how_it_ended(status: int | None) -> str:
    """Return how the agent ended: `exited with status 3`, `was ended by signal 9`."""
    if status is None:
        return "closed its stdout"
    return f"was ended by signal {-status}" if status < 0 else f"exited with status {status}"


def last_lines(seen: "Evidence") -> str:
    """Return the last lines of stderr as a sentence; nothing if there are none."""
    if not seen.stderr:
        return ""
    lines = [quoted(line) for line in seen.stderr]
    return f" Its last {'line' if len(lines) == 1 else 'lines'} on stderr: {', '.join(lines)}."


def last_of_turn(seen: "Evidence", session: Session, turn: Turn) -> str:
    """Return what the agent did last in a turn, how long ago, and which tool calls are open."""
    if turn.last is None:
        said = "; it has sent no update"
    else:
        frame, what = turn.last
        ago = f", {span(max(seen.until - frame.t, 0.0))} {_ago(seen)}" if seen.has_times else ""
        where = f"frame {frame.seq}{ago}"
        what = f"{_UPDATES[what]} ({where})" if what in _UPDATES else where
        said = f"; its last update was {what}"
    tools = [
        call
        for call in session.tool_calls.values()
        if call.is_open and call.seq > turn.exchange.seq
    ]
    if tools:
        call = tools[-1]
        named = quoted(call.title or call.name or call.id)
        said += (
            f"; the tool call {named} (frame {call.seq}) is {call.status.replace('_', ' ')[:20]}"
        )
        if len(tools) > 1:
            said += f", and {len(tools) - 1} more"
    return said


def _ago(seen: "Evidence") -> str:
    return "ago" if seen.running else "before the end"


def names(methods: Iterable[Any]) -> str:
    """Return the names of login methods."""
    found = (
        text(fields(each).get("name")) or text(fields(each).get("id")) or "" for each in methods
    )
    return ", ".join(quoted(name) for name in list(filter(None, found))[:5])


def share(seconds: float, total: float) -> str:
    """Return a part of a time: `21 of 24 s`."""
    if total < seconds:
        return span(seconds)
    if total < 59.5:
        return f"{seconds:.0f} of {total:.0f} s"
    return f"{span(seconds)} of {span(total)}"
