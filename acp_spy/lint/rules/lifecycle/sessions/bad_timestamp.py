"""Timestamps are in ISO 8601."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.wire.values import fields, items

_ASKED = """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}
"""


@rule(
    code="LIF043",
    name="bad-timestamp",
    severity=Severity.WARNING,
    summary="`updatedAt` is not a timestamp in ISO 8601",
    on=("result:session/list", "update:session_info_update"),
    covers=("LST-09",),
    spec="https://agentclientprotocol.com/protocol/session-list",
    bad=transcript(
        HANDSHAKE,
        _ASKED,
        """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/project", "updatedAt": "1763165000"}]}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        _ASKED,
        """
        <- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": [{"sessionId": "s7", "cwd": "/home/dev/project", "updatedAt": "2026-11-15T00:03:20Z"}]}}
        """,
    ),
)
def bad_timestamp(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports an `updatedAt` that is not in ISO 8601, such as `2026-11-15T00:03:20Z`.

    ## Why it matters
    Clients that cannot read it show no date, or sort the sessions wrongly.

    ## Use instead
    Format the time as ISO 8601, with its time zone.
    """
    body = fields(step.body)
    if step.exchange is None:
        holders: list[tuple[str, Any]] = [("/params/update", body.get("update"))]
    else:
        sessions = items(body.get("sessions"))
        holders = [(f"/result/sessions/{i}", session) for i, session in enumerate(sessions)]
    for place, holder in holders:
        time = fields(holder).get("updatedAt")
        if isinstance(time, str) and not _is_time(time):
            yield Remark(
                f"`updatedAt` is {quoted(time)}; expected ISO 8601, such as `2026-11-15T00:03:20Z`",
                at=f"{place}/updatedAt",
                hint="format the time as ISO 8601, with its time zone",
            )
            return  # the others are probably the same


def _is_time(text: str) -> bool:
    if len(text) < len("2026-11-15") or not text[:4].isdigit() or text[4] != "-":
        return False
    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True
