"""The members of a frame's envelope, for the few frames that need a closer look."""

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.lines import looks_like_log
from acp_spy.lint.other_protocols import foreign_protocol_in, protocol_of_method
from acp_spy.wire.jsonrpc import Response, Unreadable
from acp_spy.wire.values import decoded, fields

_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def read_members(step: Step) -> dict[str, memoryview]:
    """
    Return the members of a message's envelope, each as it was sent.

    A log record or another protocol's message that happens to have a `method` is not a message:
    nothing is returned for it, either.
    """
    if isinstance(step.message, Unreadable):
        return {}
    # Views: the message may be huge. JSON ends before the line does.
    payload = memoryview(step.frame.raw)[step.glued_at :]
    try:
        members = {name: memoryview(value) for name, value in _decode(payload).items()}
    except (msgspec.DecodeError, RecursionError, ValueError):
        return {}
    if "jsonrpc" not in members:
        if step.method and protocol_of_method(step.method):
            return {}
        value = decoded(payload)
        if looks_like_log(value) or foreign_protocol_in(value):
            return {}
    return members


def has_answer(step: Step) -> bool:
    """Whether a message has what only a response has, whatever else it has."""
    return not read_members(step).keys().isdisjoint(("result", "error"))


def error_code(step: Step) -> int | None:
    """Return the code of the error that a response carries, if it is an integer."""
    if not isinstance(step.message, Response) or not step.message.error:
        return None
    code = fields(step.body).get("code")
    return code if isinstance(code, int) and not isinstance(code, bool) else None
