"""Notices are for now."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import is_being_loaded, is_first
from acp_spy.wire.values import fields

_LOAD = """
        -> {"jsonrpc": "2.0", "id": 2, "method": "session/load", "params": {"sessionId": "s0", "cwd": "/home/dev/project", "mcpServers": []}}
"""
_NOTICE = """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s0", "update": {"sessionUpdate": "notice", "severity": "warning", "title": "Rate limit reached"}}}
"""
_LOADED = """
        <- {"jsonrpc": "2.0", "id": 2, "result": {}}
"""


@rule(
    code="LIF139",
    name="replayed-notice",
    severity=Severity.WARNING,
    summary="A notice came while a session was being loaded",
    on=("update:notice",),
    covers=("NTC-03",),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=SESSION + _LOAD + _NOTICE + _LOADED,
    good=SESSION + _LOAD + _LOADED + _NOTICE,
)
def replayed_notice(step: Step, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    `session/load` replays what was said and done. Notices should not be part of it: they tell of a
    state at the time, such as a rate limit or a server that was down.

    Replayed, they come up as news. The user sees a warning about something that was over last week.

    Leave notices out of the history. One that is about the loading itself can wait for the answer to
    `session/load`.
    """
    if is_being_loaded(step) and is_first(reported, str(fields(step.body).get("sessionId"))):
        yield Remark(
            "`notice` before the answer to `session/load`; expected no notices in a replay",
            at="/params/update/sessionUpdate",
            hint="leave notices out of the history, or send them after the answer",
        )
