"""Notices are not part of a replay."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._opening import SESSION
from acp_spy.lint.rules.lifecycle._reading import is_first
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
    summary="The agent sent a notice while a session was loading",
    on=("update:notice",),
    covers=("NTC-03",),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=SESSION + _LOAD + _NOTICE + _LOADED,
    good=SESSION + _LOAD + _LOADED + _NOTICE,
)
def replayed_notice(step: Step, facts: Facts, reported: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `notice` before the response to `session/load`. The replay should contain only the
    conversation; a notice describes a temporary state, such as a rate limit.

    ## Why it matters

    The client shows an old notice as new. The user sees a warning about a problem that no longer
    exists.

    ## Use instead

    Omit notices from the replay. Send a notice about the load itself after the response.
    """
    if facts.is_replayed and is_first(reported, str(fields(step.body).get("sessionId"))):
        yield Remark(
            "`notice` came before the response to `session/load`; expected no notices in a replay",
            at="/params/update/sessionUpdate",
            hint="omit notices from the replay, or send them after the response",
        )
