"""Unstable: a title says something."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    answer,
    ask,
    refuse,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"title": {}}'),
    NEW_SESSION,
    ask(2, "session/set_title", '"sessionId": "s1", "title": "  "'),
)


@rule(
    code="LIF246",
    name="blank-title-accepted",
    severity=Severity.WARNING,
    summary="The agent accepted a title that is empty",
    on=("result:session/set_title",),
    covers=("UNS-07",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, answer(2, '"title": ""')),
    good=transcript(_OPENING, refuse(2, '"code": -32602, "message": "The title is empty"')),
)
def blank_title_accepted(step: Step) -> Iterator[Remark]:
    """
    A title that is empty, or nothing but blanks, is refused with -32602. Stored, it leaves an entry
    in the list of sessions that nobody can read or click.

    Refuse it, and let the client keep the old title.
    """
    title = asked(step).get("title")
    if isinstance(title, str) and not title.strip():
        yield Remark(
            "an empty title was accepted; -32602 was expected",
            see=asked_at(step),
            hint="refuse a title that is empty once blanks are cut off",
        )
