"""A session can be opened, and its first prompt is answered."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import error_text, is_attached, quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, transcript
from acp_spy.wire.values import error_detail, fields

_INTERNAL_ERROR = -32603
_OURSELVES = "acp-spy"  # as the origin of an error: what the bridge could not send or receive
_LOGIN = re.compile(
    r"\b(?:auth\w*|log(?:ged)? ?in|sign(?:ed)? ?in|api[ _-]?key|credential\w*|token|401|403)\b"
)


@rule(
    code="LIF014",
    name="setup-failed",
    severity=Severity.WARNING,
    summary="A new session or its first prompt failed with an internal error",
    on=("error:session/new", "error:session/prompt"),
    covers=("X-08",),
    spec="https://agentclientprotocol.com/protocol/session-setup#creating-a-session",
    since="0.2",
    bad=transcript(
        HANDSHAKE,
        """
        -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
        <- {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}}
        """,
    ),
    good=transcript(HANDSHAKE, NEW_SESSION),
)
def setup_failed(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports `session/new`, or the first prompt of a session, that is refused with -32603 (internal
    error). A prompt that fails after some output is not reported.

    ## Why it matters
    Nothing works, and the user reads "internal error". The cause is often a missing login, a wrong
    model name or an MCP server that cannot be started.

    ## Use instead
    Answer with -32000 if the user has to log in, with -32602 if the request is wrong, and say in
    `message` or `data` what failed.
    """
    session, exchange = step.session, step.exchange
    if error_code(step) != _INTERNAL_ERROR or exchange is None:
        return
    if exchange.cancelled_at is not None:
        return  # LIF066 reports it
    if fields(fields(step.body).get("data")).get("origin") == _OURSELVES:
        return  # the error is our own, and NET013 or NET010 reports its cause
    which = f"`{step.method}`"
    if step.method == "session/prompt":
        if session is None or not is_attached(session) or session.turn_count != 1:
            return
        if any(turn.cancelled_at is not None or turn.shown for turn in session.turns):
            return  # LIF063 reports it, or the agent worked
        which = "the first prompt of the session"
    reason = error_detail(step.body) or fields(step.body).get("message")
    hint = "say in `message` what failed, and read the agent's stderr for the cause"
    if _LOGIN.search(error_text(step)):
        hint = "use code `-32000` if the user has to log in, so that the client can offer it"
    yield Remark(
        f"{which} failed with an internal error (`{_INTERNAL_ERROR}`): {quoted(reason)}",
        at="/error",
        see=exchange.seq,
        hint=hint,
    )
