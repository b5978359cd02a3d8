"""Every request after `initialize` names its connection."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import is_lost_response, name_of, outcome
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import CONNECT, SPEC, over, transcript
from acp_spy.wire.frame import Peer

_METHODS = ("POST", "GET", "DELETE")
_LIST = '-> {"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}'
_LISTED = '<- {"jsonrpc": "2.0", "id": 1, "result": {"sessions": []}}'


@rule(
    code="NET004",
    name="missing-connection-header",
    severity=Severity.ERROR,
    summary="A request was sent without `Acp-Connection-Id`",
    on=("exchange",),
    covers=("NET-05",),
    spec=SPEC,
    since="0.2",
    bad=transcript(CONNECT, over("post", _LIST), '<> 400 {"body": "Missing Acp-Connection-Id"}'),
    good=transcript(CONNECT, over("post c1", _LIST), "<> 202", over("connection c1", _LISTED)),
)
def missing_connection_header(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a request after `initialize` without the header `Acp-Connection-Id`: a POST, a GET for a
    stream, or a DELETE.

    ## Why it matters

    The server cannot know which agent the message is for, and refuses it with 400.

    ## Use instead

    Keep the `Acp-Connection-Id` from the response to `initialize`, and send it with every request.
    """
    posted = facts.posted
    if exchange.connection or exchange.transport != "http" or exchange.method not in _METHODS:
        return
    if exchange.error and not exchange.status:
        return  # nobody has read it, and NET013 says why
    if posted is None:
        if exchange.method == "POST":
            return  # without a message there is nothing to deliver
        name = f"`{exchange.method}` without a connection"
    elif is_lost_response(exchange, posted) or posted.method == "initialize":
        return
    else:
        name = name_of(posted)
    yield Remark(
        f"{name}: the header `Acp-Connection-Id` is missing{outcome(exchange)}",
        on=exchange.request or None,
        blame=Peer.CLIENT,
        hint="send the `Acp-Connection-Id` from the response to `initialize` with every request",
    )
