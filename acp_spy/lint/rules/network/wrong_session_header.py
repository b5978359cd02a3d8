"""The session in the header is that in the message."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import fault_in, is_lost_response, name_of, outcome
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle import _examples as stdio
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, over, transcript
from acp_spy.wire.frame import Peer


@rule(
    code="NET003",
    name="wrong-session-header",
    severity=Severity.ERROR,
    summary="`Acp-Session-Id` differs from the session in the message",
    on=("exchange",),
    covers=("NET-05",),
    spec=SPEC,
    since="0.2",
    bad=transcript(
        OPENING,
        over("post c1 s2", stdio.PROMPT),
        '<> 400 {"body": "Mismatched Acp-Session-Id"}',
    ),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def wrong_session_header(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a POST whose header `Acp-Session-Id` differs from `sessionId` in the params, or from the
    session of the request that it is the response to.

    ## Why it matters

    The Rust and TypeScript SDKs refuse it with 400. A server that does not may deliver it to
    another session.

    ## Use instead

    Take the header from the message: both are the same value.
    """
    posted = facts.posted
    if posted is None or is_lost_response(exchange, posted):
        return
    fault = fault_in(exchange, posted)
    if fault is not None and fault.kind == "other session":
        yield Remark(
            f"{name_of(posted)}: {fault.text}{outcome(exchange)}",
            on=exchange.request,
            blame=Peer.CLIENT,
            hint=fault.hint,
        )
