"""A POST about a session names it in a header."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import fault_in, is_lost_response, name_of, outcome
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import (
    END_TURN,
    OPENING,
    PROMPT,
    PROMPT_WITHOUT_SESSION,
    SPEC,
    transcript,
)
from acp_spy.wire.frame import Peer


@rule(
    code="NET002",
    name="missing-session-header",
    severity=Severity.ERROR,
    summary="A message about a session was sent without `Acp-Session-Id`",
    on=("exchange",),
    covers=("NET-05",),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT_WITHOUT_SESSION, '<> 400 {"body": "Missing Acp-Session-Id"}'),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def missing_session_header(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a POST about a session (`session/prompt`, `session/cancel`, `session/load`, and the
    response to a request of that session) without the header `Acp-Session-Id`.

    ## Why it matters

    The header shows a server where the message belongs before it reads the body. The TypeScript SDK
    refuses such a message with 400. The Rust SDK accepts it if `sessionId` is in the params, and
    the Python SDK requires the header for five methods only.

    ## Use instead

    Send `Acp-Session-Id` with every message that is about a session, and with the responses to the
    agent's requests.
    """
    posted = facts.posted
    if posted is None or is_lost_response(exchange, posted):
        return
    fault = fault_in(exchange, posted)
    if fault is not None and fault.kind == "session":
        yield Remark(
            f"{name_of(posted)}: {fault.text}{outcome(exchange)}",
            on=exchange.request,
            blame=Peer.CLIENT,
            hint=fault.hint,
        )
