"""Unstable: who can archive says of each listed session whether it is."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import answer, ask, transcript, version_1
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items

_OPENING = transcript(
    version_1('"sessionCapabilities": {"archive": {}, "list": {}}'), ask(1, "session/list", "")
)
_SESSION = '"sessions": [{"sessionId": "s1", "cwd": "/home/dev/project"'


@rule(
    code="LIF241",
    name="listed-without-archived",
    severity=Severity.ERROR,
    summary="An agent that can archive lists sessions without saying whether they are archived",
    on=("result:session/list",),
    covers=("UNS-03",),
    spec="https://agentclientprotocol.com/protocol/v1/draft/session-list",
    bad=transcript(_OPENING, answer(1, _SESSION + "}]")),
    good=transcript(_OPENING, answer(1, _SESSION + ', "archived": false}]')),
)
def listed_without_archived(step: Step) -> Iterator[Remark]:
    """
    An agent that advertises `archive` sends `archived` with every session that it lists. A client
    that does not find it cannot tell which of the two buttons to show, archive or bring back.

    Add `"archived": true` or `false` to each entry.
    """
    if not _can_archive(step):
        return
    for index, session in enumerate(items(fields(step.body).get("sessions"))):
        if isinstance(session, dict) and session.get("archived") is None:
            yield Remark(
                "a session is listed without `archived`, though the agent advertised `archive`",
                at=f"/result/sessions/{index}",
                see=asked_at(step),
                hint="send `archived` with every listed session",
            )
            return


def _can_archive(step: Step) -> bool:
    capabilities: dict[str, Any] = fields(step.state.capabilities.get(Peer.AGENT))
    key = "session" if step.state.is_draft else "sessionCapabilities"
    return isinstance(fields(capabilities.get(key)).get("archive"), dict)
