"""Requests are accepted."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import fault_in, is_lost_response, name_of, refusal, refusal_hint
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, transcript
from acp_spy.wire.frame import Peer

PROMPT_REFUSED = PROMPT.splitlines()[0]


@rule(
    code="NET013",
    name="request-refused",
    severity=Severity.WARNING,
    summary="An HTTP request was refused",
    on=("exchange",),
    covers=(),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT_REFUSED, '<> 429 {"body": "Too many requests"}'),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def request_refused(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a request that was refused with a status of 400 or higher, or got no HTTP response, if
    its headers are not the reason. A refusal that has a JSON-RPC error in its body is not reported:
    it is a response. Nor is a request that acp-spy did not send, because the server takes no more
    at once. If acp-spy could not reach the server, it is an error.

    ## Why it matters

    The message has not reached the agent, and no response to it will come on a stream. A client
    that ignores the status waits for ever.

    ## Use instead

    Read the status and the body. 401 and 403: send credentials. 413: send less. 429 and 503: try
    again later. 5xx: look at the log of the server.
    """
    posted = facts.posted
    if exchange.method not in ("POST", "GET", "DELETE"):
        return
    is_socket = exchange.transport == "ws"
    if exchange.method != "POST" and not (exchange.connection or exchange.error or is_socket):
        return  # NET004
    if posted is not None and (is_lost_response(exchange, posted) or fault_in(exchange, posted)):
        return  # other rules say why
    name = name_of(posted) if exchange.request else f"`{exchange.method}`"
    name = "the WebSocket" if is_socket else name
    on = exchange.request or None
    is_end = exchange.method == "DELETE"
    if exchange.error and (is_end or exchange.is_unsent):
        return  # the client need not wait for its response, or has one of ours
    if exchange.error:
        what = "could not be opened" if is_socket else "got no HTTP response"
        what = "could not be sent" if exchange.by == "proxy" and not is_socket else what
        yield Remark(
            f"{name} {what}: {exchange.error}",
            on=on,
            blame=Peer.AGENT,
            severity=Severity.ERROR,
            hint="check that the server runs, and its address",
        )
    elif exchange.is_refused and not (exchange.brings_message or _has_own_rule(exchange)):
        is_client = exchange.status < 500 and not (is_end and exchange.status == 405)
        yield Remark(
            f"{name} was {refusal(exchange)}",
            on=on,
            blame=Peer.CLIENT if is_client else Peer.AGENT,
            hint=refusal_hint(exchange),
        )


def _has_own_rule(exchange: HttpExchange) -> bool:
    if exchange.status == 404:
        return bool(exchange.connection)  # NET005
    is_stream = exchange.transport == "http" and exchange.method == "GET"
    return is_stream and exchange.status in (406, 409)  # NET006, NET008
