"""No object has two members with one name."""

import json
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.wire.jsonrpc import Unreadable
from acp_spy.wire.pointer import spell

_LONGEST = 32 * 1024 * 1024


@rule(
    code="FRM012",
    name="duplicate-key",
    severity=Severity.ERROR,
    summary="An object has two members with the same name",
    on=("unusual",),
    covers=("FRM-13",),
    spec="https://www.rfc-editor.org/rfc/rfc8259#section-4",
    bad="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1", "sessionId": "s2"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
    """,
)
def duplicate_key(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    What an object with the same name twice means is left to the reader: JavaScript and Python take
    the last, others the first, and Rust's serde refuses the message. So the two peers, and this
    debugger, may each see something else.

    It happens where JSON is put together from pieces of text. Build a value, then encode it.
    """
    if not facts.is_unusual or isinstance(step.message, Unreadable):
        return
    payload = step.frame.payload[step.glued_at :]
    if len(payload) > _LONGEST or not _may_have_twins(payload):
        return
    for path, name in _twins(payload):
        yield Remark(
            f"`{name[:60]}` is there twice in one object; which one counts depends on the reader",
            at=path,
            hint="build the object first, then encode it",
        )
        return  # built by hand: the others are the same mistake


def _may_have_twins(payload: bytes) -> bool:
    """Count the colons: a message without a name twice has as many when read and written."""
    try:
        again = msgspec.json.encode(msgspec.json.decode(payload))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return payload.count(b":") > again.count(b":")


class _Object(list[tuple[str, Any]]):
    """The members of an object, as they were sent."""


def _twins(payload: bytes) -> Iterator[tuple[str, str]]:
    """Give the pointer and the name of each member whose name has come before."""
    whole = json.loads(payload, object_pairs_hook=_Object)
    todo: deque[tuple[tuple[str | int, ...], Any]] = deque([((), whole)])
    while todo:
        path, value = todo.popleft()
        if isinstance(value, _Object):
            for name, count in Counter(name for name, _ in value).items():
                if count > 1:
                    yield spell(*path, name), name
            todo += [((*path, name), item) for name, item in value]
        elif isinstance(value, list):
            todo += [((*path, index), item) for index, item in enumerate(value)]
