"""Version 2: an unknown `replayFrom` is rejected."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import request_params, request_seq
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    INITIALIZE,
    INITIALIZED,
    error_line,
    request_line,
    result_line,
    state_line,
    transcript,
)
from acp_spy.wire.values import fields

_RESUME = request_line(
    1,
    "session/resume",
    '"sessionId": "s1", "cwd": "/home/dev/project",'
    ' "replayFrom": {"type": "message", "messageId": "m1"}',
)


@rule(
    code="LIF215",
    name="unknown-replay-cursor-accepted",
    severity=Severity.ERROR,
    summary="The agent accepted an unknown `replayFrom` type",
    on=("result:session/resume",),
    version=2,
    covers=("V2-15",),
    spec="https://agentclientprotocol.com/protocol/v2/session-setup",
    bad=transcript(INITIALIZE, INITIALIZED, _RESUME, state_line("idle"), result_line(1)),
    good=transcript(
        INITIALIZE,
        INITIALIZED,
        _RESUME,
        error_line(1, '"code": -32602, "message": "Unsupported replay cursor"'),
    ),
)
def unknown_replay_cursor_accepted(step: Step) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports a successful `session/resume` with a `replayFrom` type other than `start`.
    Custom types start with `_`. The agent must reject unknown types with -32602.

    ## Why it matters

    An agent that replays from another place, or not at all, leaves the client with a wrong history.

    ## Use instead

    Reject an unknown type with -32602. As a client, send `start`.
    """
    kind = fields(request_params(step).get("replayFrom")).get("type")
    if not isinstance(kind, str):
        return
    if kind != "start" and not kind.startswith("_"):
        yield Remark(
            f"`replayFrom` of type `{kind[:80]}` was accepted; expected error -32602",
            see=request_seq(step),
            hint="reject an unknown cursor with -32602 (invalid params)",
        )
