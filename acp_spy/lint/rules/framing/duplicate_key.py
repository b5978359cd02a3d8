"""No object has the same key twice."""

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
from acp_spy.wire.values import ensure_memory

_LONGEST = 32 * 1024 * 1024


@rule(
    code="FRM012",
    name="duplicate-key",
    severity=Severity.ERROR,
    summary="An object has the same key twice",
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
    ## What it does

    Reports an object in a message that has the same key twice. The first one in a frame is
    reported.

    ## Why it matters

    JSON does not define what such an object means: JavaScript and Python use the last value, others
    the first, and Rust's serde refuses the message. The two peers and acp-spy may each see
    something different.

    It happens where JSON is assembled from pieces of text.

    ## Use instead

    Build the whole object, then encode it.
    """
    if not facts.is_unusual or isinstance(step.message, Unreadable):
        return
    if len(step.frame.raw) > _LONGEST:
        return
    payload = step.frame.payload[step.glued_at :]
    if not _may_have_twins(payload):
        return
    for path, name in _twins(payload):
        yield Remark(
            f"`{name[:60]}` occurs twice in one object; which value counts depends on the reader",
            at=path,
            hint="build the object first, then encode it",
        )
        return  # assembled by hand: the others are the same mistake


def _may_have_twins(payload: bytes) -> bool:
    """Count the colons: without a duplicate key there are as many after decoding and encoding."""
    ensure_memory(4 * len(payload))
    try:
        again = msgspec.json.encode(msgspec.json.decode(payload))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return payload.count(b":") > again.count(b":")


class _Object(list[tuple[str, Any]]):
    """The keys and values of an object, as they were sent."""


def _twins(payload: bytes) -> Iterator[tuple[str, str]]:
    """Give the pointer and the name of each key that has come before."""
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
