"""Unstable: the title that a user chose stays."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._pending import pending
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    answer,
    ask,
    transcript,
    update_line,
    version_1,
)
from acp_spy.wire.values import fields

_OPENING = transcript(
    version_1('"sessionCapabilities": {"title": {}}'),
    NEW_SESSION,
    ask(2, "session/set_title", '"sessionId": "s1", "title": "Parser"'),
    answer(2, '"title": "Parser"'),
)


@rule(
    code="LIF247",
    name="overwritten-title",
    severity=Severity.WARNING,
    summary="A title that the client had set was replaced by another",
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
    Once a client has set a title with `session/set_title`, the agent should not put one of its own
    making in its place. The user has named the session, and sees the name disappear.

    Stop making titles for a session whose title was set.
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
            f"the title is now `{title[:80]}`, though the client had set `{chosen[:80]}`",
            at="/params/update/title",
            see=seq,
            hint="leave a title alone that the client has set",
        )
