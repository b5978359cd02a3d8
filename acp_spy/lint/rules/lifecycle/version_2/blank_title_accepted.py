"""Unstable: a blank title is rejected."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    error_line,
    request_line,
    result_line,
    transcript,
    version_1,
)

_OPENING = transcript(
    version_1('"sessionCapabilities": {"title": {}}'),
    NEW_SESSION,
    request_line(2, "session/set_title", '"sessionId": "s1", "title": "  "'),
)


@rule(
    code="LIF246",
    name="blank-title-accepted",
    severity=Severity.WARNING,
    summary="The agent accepted a blank title",
    on=("result:session/set_title",),
    covers=("UNS-07",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, result_line(2, '"title": ""')),
    good=transcript(_OPENING, error_line(2, '"code": -32602, "message": "The title is empty"')),
)
def blank_title_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a successful `session/set_title` with a title that is empty or only whitespace. The
    agent must reject it with -32602.

    ## Why it matters

    The list of sessions gets an entry that nobody can read.

    ## Use instead

    Return -32602, and keep the old title.
    """
    title = request_params(step).get("title")
    if isinstance(title, str) and not title.strip():
        yield Remark(
            "a blank title was accepted; expected error -32602",
            see=request_seq(step),
            hint="reject a title that is empty after trimming",
        )
