"""Unstable: a subagent is announced before it is used."""

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
    ## What it does

    Reports a `session_message` whose sender or recipient is a session that no `subagent_update`
    announced.

    ## Why it matters

    The client does not know the session and has no place to show the message.

    ## Use instead

    Send `subagent_update` on the parent session first.
    """
    update, here = update_of(step), name_of_session(step)
    for key in ("senderSessionId", "recipientSessionId"):
        name = update.get(key)
        if isinstance(name, str) and name != here and name not in step.state.sessions:
            yield Remark(
                f"the message names session `{name[:80]}`, which was not announced;"
                " expected `subagent_update` first",
                at=f"/params/update/{key}",
                hint="send `subagent_update` for that session first",
            )
