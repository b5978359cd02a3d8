"""Unstable: the agent keeps a title that the client set."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    request_line,
    result_line,
    transcript,
    update_line,
    version_1,
)
from acp_spy.wire.values import fields

_OPENING = transcript(
    version_1('"sessionCapabilities": {"title": {}}'),
    NEW_SESSION,
    request_line(2, "session/set_title", '"sessionId": "s1", "title": "Parser"'),
    result_line(2, '"title": "Parser"'),
)


@rule(
    code="LIF247",
    name="overwritten-title",
    severity=Severity.WARNING,
    summary="The agent replaced a title that the client set",
    on=("result:session/set_title", "update:session_info_update"),
    covers=("UNS-07",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(
        _OPENING,
        update_line('"sessionUpdate": "session_info_update", "title": "Fixing the parser"'),
    ),
    good=transcript(
        _OPENING, update_line('"sessionUpdate": "session_info_update", "title": "Parser"')
    ),
)
def overwritten_title(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports a `session_info_update` that changes a title after the client set it with
    `session/set_title`.

    ## Why it matters

    The user named the session, and the name disappears.

    ## Use instead

    Do not generate titles for a session whose title was set.
    """
    session = name_of_session(step)
    if step.exchange is not None:
        title = fields(step.body).get("title")
        if isinstance(title, str) and session:
            remember(memory, session, (step.frame.seq, title))
        return
    title = update_of(step).get("title")
    if session not in memory or not isinstance(title, str):
        return
    seq, chosen = memory[session]
    if title != chosen and not pending(step.state, "session/set_title", session):
        del memory[session]
        yield Remark(
            f"`title` is `{title[:80]}`; expected `{chosen[:80]}`, which the client set",
            at="/params/update/title",
            see=seq,
            hint="keep a title that the client set",
        )
