"""Bodies are JSON, and streams are events."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import (
    JSON,
    fault_in,
    is_json,
    is_lost_response,
    name_of,
    outcome,
)
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import CONNECT, NEW_SESSION, SPEC, transcript
from acp_spy.wire.frame import Peer

_EVENTS = "text/event-stream"
_ASKED = NEW_SESSION.splitlines()[0]
_REFUSED = (
    '<> 415 {"request_headers": {"content-type": "text/plain"}, "body": "Unsupported Media Type"}'
)


@rule(
    code="NET006",
    name="wrong-content-type",
    severity=Severity.ERROR,
    summary="A request or a response has the wrong content type",
    on=("exchange",),
    covers=("NET-04", "NET-06"),
    spec=SPEC,
    since="0.2",
    bad=transcript(CONNECT, _ASKED, _REFUSED),
    good=transcript(CONNECT, NEW_SESSION),
)
def wrong_content_type(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a POST without `Content-Type: application/json`, a GET without `Accept:
    text/event-stream`, and responses of another type than these.

    ## Why it matters

    Servers refuse such a POST with 415 and such a GET with 406. A client may take a stream of
    another type for an error page.

    ## Use instead

    Send the two headers. Answer `initialize` with `application/json` and a GET with
    `text/event-stream`.
    """
    if exchange.transport != "http":
        return
    asked, given = exchange.request_headers, exchange.response_headers
    on = exchange.request or None
    if exchange.method == "POST" and facts.posted is not None:
        if is_lost_response(exchange, facts.posted):
            return
        fault = fault_in(exchange, facts.posted)
        if fault is not None and fault.kind == "type":
            text = f"{name_of(facts.posted)}: {fault.text}{outcome(exchange)}"
            yield Remark(text, on=on, blame=Peer.CLIENT, hint=fault.hint)
        elif exchange.status == 200 and not is_json(given.get("content-type", JSON)):
            yield _of_agent(exchange, f"`{given['content-type']}`", JSON)
    elif exchange.method == "GET":
        accept = asked.get("accept", "*/*")
        if not any(word in accept for word in (_EVENTS, "text/*", "*/*")):
            text = f"the header `Accept` of a GET is `{accept}`; expected `{_EVENTS}`"
            hint = f"send `Accept: {_EVENTS}` with every GET"
            yield Remark(text + outcome(exchange), blame=Peer.CLIENT, hint=hint)
        elif exchange.status == 200 and exchange.stream:
            content_type = given.get("content-type", "")
            if not content_type.startswith(_EVENTS):
                seen = f"`{content_type}`" if content_type else "missing"
                yield _of_agent(exchange, seen, _EVENTS)


def _of_agent(exchange: HttpExchange, seen: str, expected: str) -> Remark:
    return Remark(
        f"the `Content-Type` of the response to a {exchange.method} is {seen}; expected"
        f" `{expected}`",
        on=exchange.request or None,
        blame=Peer.AGENT,
        hint=f"send `Content-Type: {expected}`",
    )
