"""Which gist: by the event if there is one, by the method if it is known, else the JSON itself."""

from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.protocol import events as ev
from acp_spy.view.gists.events import EVENTS, tool_output
from acp_spy.view.gists.mcp import mcp_gist
from acp_spy.view.gists.methods import ANSWERS, CALLS
from acp_spy.view.gists.words import as_sent, content, plain, word
from acp_spy.wire.jsonrpc import Response, Unreadable
from acp_spy.wire.values import error_detail, fields


def gist_of(step: Step, failed: bool) -> str:
    """Return what `step` says, for a person."""
    message = step.message
    if isinstance(message, Unreadable):
        return plain(step.frame.payload)
    if failed and isinstance(message, Response) and message.failed:
        said = _error(message.error, step.body)
    else:
        said = _message_gist(step)
    if step.glued_at:
        return f"{plain(step.frame.payload[: step.glued_at])} ▸ {said}"
    return said


def spoken(event: ev.Event | None) -> tuple[str, str]:
    """Return who speaks in a piece of a text, and the piece; or the output of a tool call."""
    if isinstance(event, ev.Said):
        said = content(event.content)
        if said:
            return event.role, said
    return "", tool_output(event)


def _message_gist(step: Step) -> str:
    message, event, body = step.message, step.event, step.body
    if step.mcp is not None and (gist := mcp_gist(step, step.mcp)):
        return gist
    if event is not None and (gist := EVENTS[type(event)](step, event)):
        return gist
    if isinstance(message, Response):
        if isinstance(body, dict) and step.method in ANSWERS:
            return ANSWERS[step.method](body) or as_sent(message.result)
        return "ok" if body == {} else as_sent(message.result)
    if isinstance(message, Unreadable):
        return ""
    if isinstance(body, dict) and step.method in CALLS:
        return CALLS[step.method](body) or as_sent(message.params)
    return as_sent(message.params)


def _error(raw: bytes, body: Any) -> str:
    error = fields(body)
    said = word(error.get("message"))
    if not said:
        return as_sent(raw)
    code = word(error.get("code"))
    more = word(error_detail(error))
    gist = f"{code} {said}".strip()
    return f"{gist}: {more}" if more and more not in said else gist
