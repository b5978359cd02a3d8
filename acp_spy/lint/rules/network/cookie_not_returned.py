"""Cookies are returned."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import CONNECT, SPEC, transcript
from acp_spy.wire.frame import Peer

_MOST = 16  # cookies
_INITIALIZE = CONNECT.splitlines()[0]
_GIVES = (
    '<> 200 {"response_headers": {"acp-connection-id": "c1", "content-type": "application/json",'
    ' "set-cookie": "route=redacted; Path=/"}}'
)


@rule(
    code="NET016",
    name="cookie-not-returned",
    severity=Severity.ERROR,
    summary="The client does not return a cookie",
    on=("exchange",),
    covers=("NET-03",),
    spec=SPEC,
    since="0.2",
    bad=transcript(
        _INITIALIZE,
        _GIVES,
        "<> GET c1 200",
    ),
    good=transcript(
        _INITIALIZE,
        _GIVES,
        '<> GET c1 200 {"request_headers": {"accept": "text/event-stream", "cookie": "route=redacted"}}',
    ),
)
def cookie_not_returned(exchange: HttpExchange, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports once that a request lacks a cookie that an earlier response has set.

    ## Why it matters

    Load balancers use cookies to send all requests of a connection to the same server. Without the
    cookie, a request reaches a server that does not know the connection, and gets 404.

    ## Use instead

    Use an HTTP client that keeps cookies, and use the same one for POST, GET and DELETE.
    """
    sent = exchange.request_headers.get("cookie", "")
    names = {pair.partition("=")[0].strip() for pair in sent.split(";")}
    missing = [name for name in memory.get("set", ()) if name not in names]
    if missing and "reported" not in memory:
        memory["reported"] = True
        yield Remark(
            f"a {exchange.method} has no cookie `{missing[0]}`, which an earlier response has set",
            on=exchange.request or None,
            blame=Peer.CLIENT,
            hint="keep cookies, and send them with every request of the connection",
        )
    cookie = exchange.response_headers.get("set-cookie", "")
    name, equals, _ = cookie.partition("=")
    name = name.strip()
    if equals:  # a capture that was redacted has neither name nor value
        kept = memory.setdefault("set", [])
        if "max-age=0" in cookie.lower():
            memory["set"] = [each for each in kept if each != name]
        elif name not in kept and len(kept) < _MOST:
            kept.append(name)
