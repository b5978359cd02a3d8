"""A response reaches the peer that waits for it."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import fault_in, is_lost_response, name_of, refusal
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import (
    ALLOWED,
    END_TURN,
    OPENING,
    PERMISSION,
    PROMPT,
    SPEC,
    transcript,
)
from acp_spy.wire.frame import Peer

REFUSED = '<> 400 {"body": "Missing Acp-Session-Id"}'
_BY_CLIENT = (401, 403, 411, 413, 415)


@rule(
    code="NET001",
    name="response-refused",
    severity=Severity.ERROR,
    summary="The agent's HTTP server refused a response, and the agent waits for it",
    on=("exchange",),
    covers=("NET-05", "PRM-03"),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT, PERMISSION, f"->[post c1] {ALLOWED}", REFUSED),
    good=transcript(OPENING, PROMPT, PERMISSION, f"->[post c1 s1] {ALLOWED}", "<> 202", END_TURN),
)
def response_refused(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a POST with the response to a request of the agent, if its status is 400 or higher. The
    finding names the header that is missing or wrong. If the headers are right, the agent must fix
    it.

    ## Why it matters

    Unless it is sent again, the agent never gets the response. It waits, and so does the prompt: to the user this is a hang
    without any error. An example is the Python SDK 0.12.1 as client of the TypeScript SDK 2.4.0,
    which requires `Acp-Session-Id` on the response to `session/request_permission`.

    ## Use instead

    Send `Acp-Connection-Id` and, for a request that belongs to a session, the `Acp-Session-Id` of
    that request with its response. Treat a status other than 202 as an error: log it, and end the
    turn.
    """
    posted = facts.posted
    if posted is None or posted.exchange is None or not is_lost_response(exchange, posted):
        return
    fault = fault_in(exchange, posted)
    is_client = fault is not None or exchange.status in _BY_CLIENT
    why = fault.text if fault else "its headers are right"
    yield Remark(
        f"{name_of(posted)} was {refusal(exchange)}: {why}; the agent waits until it is sent again",
        on=exchange.request,
        see=posted.exchange.seq,
        blame=Peer.CLIENT if is_client else Peer.AGENT,
        hint=fault.hint if fault else _hint(exchange.status),
    )


def _hint(status: int) -> str:
    if status in (401, 403):
        return "send the credentials with every request, also with responses"
    if status == 404:
        return "keep a connection while it has open streams or pending requests"
    return "accept the response, or say in the body of the refusal what is wrong with it"
