"""Version 2: who does not know where to replay from says so."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import asked, asked_at
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    INITIALIZE,
    INITIALIZED,
    answer,
    ask,
    be,
    refuse,
    transcript,
)
from acp_spy.wire.values import fields

_RESUME = ask(
    1,
    "session/resume",
    '"sessionId": "s1", "cwd": "/home/dev/project",'
    ' "replayFrom": {"type": "message", "messageId": "m1"}',
)


@rule(
    code="LIF215",
    name="unknown-replay-cursor-accepted",
    severity=Severity.ERROR,
    summary="The agent accepted a `replayFrom` of a type that does not exist",
    on=("result:session/resume",),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(INITIALIZE, INITIALIZED, _RESUME, be("idle"), answer(1)),
    good=transcript(
        INITIALIZE,
        INITIALIZED,
        _RESUME,
        refuse(1, '"code": -32602, "message": "Unsupported replay cursor"'),
    ),
)
def unknown_replay_cursor_accepted(step: Step) -> Iterator[Remark]:
    """
    `{"type": "start"}` is the only place to replay from that version 2 has so far; others begin
    with `_`. An agent has to refuse one that it does not know with -32602. If it replays from
    another place, or not at all, the client puts the history together wrongly.

    Refuse what you do not know. As a client, ask for `start`.
    """
    sort = fields(asked(step).get("replayFrom")).get("type")
    if not isinstance(sort, str):
        return
    if sort != "start" and not sort.startswith("_"):
        yield Remark(
            f"`replayFrom` of type `{sort[:80]}` was accepted; -32602 was expected",
            see=asked_at(step),
            hint="refuse a cursor that you do not know with -32602 (invalid params)",
        )
