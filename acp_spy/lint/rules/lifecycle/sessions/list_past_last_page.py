"""A page without `nextCursor` is the last."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields

_PAGES = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/project"}], "nextCursor": "b2Zmc2V0PTE"}}
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {"cursor": "b2Zmc2V0PTE"}}
    <- {"jsonrpc": "2.0", "id": 2, "result": {"sessions": [{"sessionId": "s8", "cwd": "/home/dev/project"}]}}
"""


@rule(
    code="LIF042",
    name="list-past-last-page",
    severity=Severity.ERROR,
    summary="`session/list` was sent again after the last page",
    on=("request:session/list", "result:session/list"),
    covers=("LST-04",),
    spec="https://agentclientprotocol.com/protocol/session-list#pagination",
    bad=transcript(
        HANDSHAKE,
        _PAGES,
        """
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/list", "params": {"cursor": "b2Zmc2V0PTE"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        _PAGES,
        """
        -> {"jsonrpc": "2.0", "id": 3, "method": "session/list", "params": {}}
        <- {"jsonrpc": "2.0", "id": 3, "result": {"sessions": []}}
        """,
    ),
)
def list_past_last_page(step: Step, memory: dict[str, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports `session/list` with a cursor that already led to the last page, a result without
    `nextCursor`.

    ## Why it matters
    The client gets the same page again, possibly forever.

    ## Use instead
    Stop when a result has no `nextCursor`.
    """
    if not isinstance(step.message, Request):
        asked = fields(step.exchange.params).get("cursor") if step.exchange else None
        memory.clear()
        if isinstance(asked, str) and fields(step.body).get("nextCursor") is None:
            memory[asked] = step.frame.seq
        return
    cursor = fields(step.body).get("cursor")
    if isinstance(cursor, str) and cursor in memory:
        yield Remark(
            f"cursor {quoted(cursor)} was sent again, but it led to the last page: that result has no `nextCursor`",
            at="/params/cursor",
            see=memory[cursor],
            hint="stop when a result has no `nextCursor`",
        )
    memory.clear()
