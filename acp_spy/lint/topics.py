"""
What a step is about, for rules to listen to.

- `frame`: every frame; `unreadable`: not a message; `lost`: not a message, but it may have been
  meant as one; `glued`: something in front of a message
- `line:noise` and the like: what an unusual line, or one before it, turns out to be (`lines.py`)
- `request`, `notification`, `response`, and each with a method: `request:session/prompt`,
  `notification:session/cancel`; `result:session/prompt` and `error:session/prompt` for an answer to
  that method; `error` for any that is an error; `unmatched` for an answer to nothing
- `custom`: a method that begins with `_`
- `update:tool_call`: a `session/update` of that variant
- `changed:unknown`, `changed:ended`, `changed:allowed`: a `tool_call_update` of a tool call that is
  not known, or in a session that nobody has opened; of one that has ended; of one that was allowed
  and is not in progress yet; `changed:pending`: of an open one that says so; `changed:name`: with a
  `name`
- `replayed`: a `session/update` that is history, which the client has asked for
- `unopened`: a `session/update` for a session that nobody has opened
- the name of its event: `TurnEnded`; if it is judged by version 2, also `v2:TurnEnded`
- `locations`: a tool call, announced or in a permission request, that has these;
  `locations:relative`, `locations:0`: with a relative path, or line 0, in one of them
- `content:diff`, `content:terminal`: the same with content of this type
- `media`: a chunk, a tool call or a prompt with content that is more than text
- `meta`: there is a `_meta` at the root of its params, result or error
- `mismatch`: the schema is not kept; `unusual`: a message that is not spelled as nearly all
  are
- `long`: longer than some readers take; `unterminated`: without a line end; `silence`: nothing was
  sent for long before it, while a request was pending
- `clue`: something in it is evidence of a dialect
- `http`, `ws`: not on stdio; `binary`: a binary WebSocket message

Apart from steps there are `stderr`, `closed`, `exchange`, `disconnect` (records) and `end` (an
`Ending`).
"""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.chunk import LONG_LINE, LONG_SILENCE, ROLES
from acp_spy.conversation.state import Session, Step
from acp_spy.lint.facts import Facts
from acp_spy.protocol.events import Said
from acp_spy.protocol.paths import is_absolute
from acp_spy.wire.jsonrpc import Notification, Request, Response, Unreadable
from acp_spy.wire.values import fields, items

# The topics of a plain chunk of text, of either peer.
OF_CHUNK = (
    "frame",
    "notification",
    "notification:session/update",
    *(f"update:{name}" for name in ROLES),
    "Said",
)


_WITH_TOOL_CALL = ("session/update", "session/request_permission")


def kind(facts: Facts) -> tuple[Any, ...]:
    """Return what the topics of a step follow from: nearly all frames are of a few kinds."""
    step = facts.step
    message, body, method = step.message, step.body, step.method
    session, event, version = step.session, type(step.event), step.state.version
    is_draft = version == 2 and type(version) is int
    if type(message) is Unreadable:  # it has nothing of what most others have
        kinds = [line.kind for line in facts.lines]
        return (facts.may_be_lost, _transport(step), is_draft, *kinds, *_states(step))
    has_content = "toolCallId" in facts.tool_call[1] or method == "session/prompt" or event is Said
    return (
        type(message),
        method,
        event,
        facts.variant,
        facts.is_replayed,
        session is None or session.how == "used",  # `_is_unopened`, without a call for each frame
        _oddities(facts)
        if facts.is_unusual or facts.mismatches or step.clues or step.frame.via
        else None,
        type(message) is Response
        and (step.exchange is None, bool(message.result), bool(message.error)),
        type(body) is dict and "_meta" in body,
        _contents(facts) if has_content else None,
        is_draft,
    )


def _oddities(facts: Facts) -> tuple[Any, ...]:
    """Return the same of what few frames have."""
    step = facts.step
    return (
        facts.is_unusual and _states(step),
        facts.may_be_lost,
        tuple([line.kind for line in facts.lines]),
        bool(step.glued_at),
        bool(facts.mismatches),
        bool(step.clues),
        _transport(step),
    )


def _transport(step: Step) -> tuple[str, bool] | None:
    via = step.frame.via
    return None if via is None else (via.transport, via.binary)


def topics(facts: Facts) -> tuple[str, ...]:
    """Return what the step of these facts is about."""
    step = facts.step
    message = step.message
    found = ["frame"]
    if isinstance(message, Request):
        found += ("request", f"request:{step.method}")
    elif isinstance(message, Notification):
        found += ("notification", f"notification:{step.method}")
        if facts.variant:
            found.append(f"update:{facts.variant}")
            if facts.is_replayed:
                found.append("replayed")
            if _is_unopened(step.session):
                found.append("unopened")
    elif isinstance(message, Response):
        found += _of_answer(step, message)
    else:
        found.append("unreadable")
        if facts.may_be_lost:
            found.append("lost")
    return (*found, *_marks(facts))


def _states(step: Step) -> tuple[str, ...]:
    """Return the topics about the line as such of a frame that is unusual."""
    frame, state = step.frame, step.state
    found: tuple[str, ...] = ()
    if len(frame.raw) > LONG_LINE:
        found = ("long",)
    if not frame.raw.endswith(b"\n"):
        found += ("unterminated",)
    if frame.t - state.last.t >= LONG_SILENCE and state.pending:
        found += ("silence",)
    return found


def _of_answer(step: Step, message: Response) -> Iterator[str]:
    yield "response"
    if message.error:
        yield "error"
    if step.exchange is None:
        yield "unmatched"
    else:
        yield f"{'result' if message.result else 'error'}:{step.method}"


def _marks(facts: Facts) -> Iterator[str]:
    """Give what is remarkable about a step, whatever its message."""
    step = facts.step
    if facts.is_unusual and not isinstance(step.message, Unreadable):
        yield "unusual"
    if facts.is_unusual:
        yield from _states(step)
    yield from (f"line:{line.kind}" for line in facts.lines)
    if step.glued_at:
        yield "glued"
    if step.event is not None:
        event = type(step.event).__name__
        yield event
        if facts.spec.version == 2:
            yield f"v2:{event}"
    if facts.mismatches:
        yield "mismatch"
    if step.clues:
        yield "clue"
    if via := step.frame.via:
        yield via.transport
        if via.binary:
            yield "binary"
    yield from _holdings(facts)


def _holdings(facts: Facts) -> Iterator[str]:
    """Give what a step has, and most have not."""
    step = facts.step
    if step.method.startswith("_"):
        yield "custom"
    if "_meta" in fields(step.body):
        yield "meta"
    yield from _contents(facts)


def _contents(facts: Facts) -> tuple[str, ...]:
    """Return the topics that follow from what a chunk, a prompt or a tool call consists of."""
    step, call = facts.step, facts.tool_call[1]
    if type(step.event) is Said:
        content = step.event.content  # one block, or a list of them: a whole message of version 2
        is_media = any(map(_is_media, content)) if type(content) is list else _is_media(content)
        return ("media",) if is_media else ()
    if step.method == "session/prompt":
        prompt = items(fields(step.body).get("prompt"))
        return ("media",) if any(map(_is_media, prompt)) else ()
    if "toolCallId" not in call or step.method not in _WITH_TOOL_CALL:
        return ()
    found = _locations(items(call["locations"])) if "locations" in call else ()
    if facts.variant == "tool_call_update":
        found += _changes(step.session, call)
    if "content" in call:
        topics = {topic for item in items(call["content"]) if (topic := _content(item))}
        found += tuple(sorted(topics))
    return found


def _locations(locations: list[Any]) -> tuple[str, ...]:
    is_relative = is_zero = False
    for location in locations:
        if type(location) is dict:
            path = location.get("path")
            is_relative = is_relative or (type(path) is str and not is_absolute(path))
            is_zero = is_zero or location.get("line") == 0
    found: tuple[str, ...] = ("locations",)
    if is_relative:
        found += ("locations:relative",)
    return (*found, "locations:0") if is_zero else found


def _changes(session: Session | None, update: dict[str, Any]) -> tuple[str, ...]:
    """Return what a change of a tool call is about that is not as nearly all are."""
    name = update["toolCallId"]
    call = session.tool_calls.get(name) if session is not None and type(name) is str else None
    is_unknown = call is None or _is_unopened(session)
    found: tuple[str, ...] = ("changed:unknown",) if is_unknown else ()
    if call is not None:
        if not call.is_open:
            found += ("changed:ended",)
        elif update.get("status") == "pending":
            found += ("changed:pending",)
        elif not call.ran and call.permission.startswith("allow_"):
            found += ("changed:allowed",)
    return (*found, "changed:name") if "name" in update else found


def _content(item: Any) -> str:
    """Return the topic of an item of a tool call's content; none for plain text."""
    if type(item) is not dict:
        return ""
    if item.get("type") in ("diff", "terminal"):
        return f"content:{item['type']}"
    return "media" if _is_media(item.get("content")) else ""


def _is_unopened(session: Session | None) -> bool:
    return session is None or session.how == "used"


def _is_media(block: Any) -> bool:
    return type(block) is dict and block.get("type") != "text"
