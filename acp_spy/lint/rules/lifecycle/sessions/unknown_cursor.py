"""A cursor comes from the agent."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields

_FIRST_PAGE = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/project"}], "nextCursor": "b2Zmc2V0PTE"}}
"""
_MANY = 1000  # with more cursors than this, some may have been forgotten


@rule(
    code="LIF041",
    name="unknown-cursor",
    severity=Severity.ERROR,
    summary="`session/list` contains a cursor that the agent never sent",
    on=("request:session/list", "result:session/list"),
    covers=("LST-05",),
    spec="https://agentclientprotocol.com/protocol/session-list#pagination",
    bad=transcript(
        HANDSHAKE,
        _FIRST_PAGE,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {"cursor": "2"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        _FIRST_PAGE,
        """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {"cursor": "b2Zmc2V0PTE"}}
        <- {"jsonrpc": "2.0", "id": 2, "result": {"sessions": []}}
        """,
    ),
)
def unknown_cursor(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `cursor` that the agent did not send as `nextCursor` on this connection.

    ## Why it matters
    A cursor has a meaning only to the agent. It answers an unknown one with an error or with the
    wrong page.

    ## Use instead
    Send the last `nextCursor` unchanged. Do not count pages, change cursors or store them.
    """
    if not isinstance(step.message, Request):
        given = fields(step.body).get("nextCursor")
        if isinstance(given, str):
            remember(memory, given, True)
        return
    cursor = fields(step.body).get("cursor")
    if isinstance(cursor, str) and cursor not in memory and len(memory) < _MANY:
        yield Remark(
            f"cursor {quoted(cursor)} is unknown; expected a `nextCursor` that the agent sent on this connection",
            at="/params/cursor",
            hint="send the last `nextCursor` unchanged, or no cursor for the first page",
        )
