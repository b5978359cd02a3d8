"""Unstable: listed sessions have `archived` if the agent advertises `archive`."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    request_line,
    result_line,
    transcript,
    version_1,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'),
    request_line(1, "session/list", ""),
)
_SESSION = '"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project"'


@rule(
    code="LIF241",
    name="listed-session-without-archived",
    severity=Severity.ERROR,
    summary="A listed session has no `archived` although the agent advertises `archive`",
    on=("result:session/list",),
    covers=("UNS-03",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, result_line(1, _SESSION + "}]")),
    good=transcript(_OPENING, result_line(1, _SESSION + ', "archived": false}]')),
)
def listed_session_without_archived(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    Reports a session in the result of `session/list` without `archived`, if the agent advertises
    `archive`. Only the first one in a result is reported.

    ## Why it matters

    The client cannot know whether to offer "archive" or "unarchive".

    ## Use instead

    Add `"archived": true` or `"archived": false` to each entry.
    """
    if not _can_archive(step):
        return
    for index, session in enumerate(items(fields(step.body).get("sessions"))):
        if isinstance(session, dict) and session.get("archived") is None:
            yield Remark(
                "the session has no `archived`, but the agent advertises `archive`;"
                " expected `true` or `false`",
                at=f"/result/sessions/{index}",
                see=request_seq(step),
                hint="add `archived` to every listed session",
            )
            return


def _can_archive(step: Step) -> bool:
    capabilities: dict[str, Any] = fields(step.state.capabilities.get(Peer.AGENT))
    key = "session" if step.state.is_draft else "sessionCapabilities"
    return isinstance(fields(capabilities.get(key)).get("archive"), dict)
