"""Unstable: a subagent is introduced before anybody speaks of it."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    NEW_SESSION,
    transcript,
    update_line,
    version_1,
)

_OPENING = transcript(version_1(client='"subagents": {}'), NEW_SESSION)
_MESSAGE = update_line(
    '"sessionUpdate": "session_message", "messageId": "m1", "senderSessionId": "s1",'
    ' "recipientSessionId": "child", "content": [{"type": "text", "text": "Look it up"}]'
)


@rule(
    code="LIF250",
    name="unannounced-subagent",
    severity=Severity.ERROR,
    summary="A message names a subagent that was not announced",
    on=("update:session_message",),
    covers=("UNS-12",),
    spec="https://agentclientprotocol.com/rfds/subagents",
    bad=transcript(_OPENING, _MESSAGE),
    good=transcript(
        _OPENING, update_line('"sessionUpdate": "subagent_update", "sessionId": "child"'), _MESSAGE
    ),
)
def unannounced_subagent(step: Step) -> Iterator[Remark]:
    """
    The session of a subagent is made known by a `subagent_update` on its parent. That comes before
    anything that the child says, and before any message that names it as sender or recipient. A
    client that reads of a child it does not know has no place to show the message.

    Send `subagent_update` first.
    """
    update, here = update_of(step), name_of_session(step)
    for key in ("senderSessionId", "recipientSessionId"):
        name = update.get(key)
        if isinstance(name, str) and name != here and name not in step.state.sessions:
            yield Remark(
                f"the message names session `{name[:80]}`, which was never announced",
                at=f"/params/update/{key}",
                hint="announce the child with `subagent_update` first",
            )
