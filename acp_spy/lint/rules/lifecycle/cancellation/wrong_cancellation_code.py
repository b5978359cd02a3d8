"""A cancelled request is answered with error `-32800`."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.envelope import error_code
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, NEW_SESSION, PROMPT, transcript
from acp_spy.wire.jsonrpc import Response
from acp_spy.wire.values import fields

_WITHDRAWN = """
    -> {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}
"""
_SAYS_SO = re.compile(
    r"\b(?:was|been|is|request|operation|task)\s+(?:cancell?ed|aborted)\b"
    r"|^(?:cancell?ed|aborted)\b|\b(?:abort|cancell?ed)error\b",
    re.IGNORECASE,
)


@rule(
    code="LIF066",
    name="wrong-cancellation-code",
    severity=Severity.WARNING,
    summary="A cancelled request was answered with another code than `-32800`",
    on=("error",),
    covers=("CAN-10", "CAN-11"),
    spec="https://agentclientprotocol.com/protocol/cancellation",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _WITHDRAWN,
        """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "Request cancelled"}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        _WITHDRAWN,
        """
        <- {"jsonrpc": "2.0", "id": 2, "error": {"code": -32800, "message": "Request cancelled"}}
        """,
    ),
)
def wrong_cancellation_code(step: Step) -> Iterator[Remark]:
    """
    ## What it does
    Reports errors that say that the request was cancelled, but have another code than `-32800`.

    ## Why it matters
    With this code the sender can distinguish a cancelled request from a failure. Other codes are
    shown to the user as errors.

    ## Use instead
    Answer a cancelled request with its result, or with error `-32800`.
    """
    if not isinstance(step.message, Response) or not step.message.error or step.exchange is None:
        return
    turn = step.session.turn if step.session else None
    if step.method == "session/prompt" and turn is not None and turn.cancelled_at is not None:
        return  # by `session/cancel`: then any error is wrong
    if step.method == "session/request_permission":
        return  # it has an outcome for this
    code, text = error_code(step), fields(step.body).get("message")
    if not isinstance(code, int) or code == -32800 or not isinstance(text, str):
        return
    if _SAYS_SO.search(text):
        yield Remark(
            f"error {quoted(code)} says {quoted(text)}; expected the code `-32800`",
            at="/error/code",
            see=step.exchange.seq,
            hint="answer a cancelled request with code `-32800`",
        )
