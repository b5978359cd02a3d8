"""The agent names the connection."""

from collections.abc import Iterator

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import SPEC
from acp_spy.wire.frame import Peer


@rule(
    code="NET015",
    name="connection-id-not-given",
    severity=Severity.ERROR,
    summary="The response to `initialize` has no `Acp-Connection-Id`",
    on=("exchange",),
    covers=("NET-06", "NET-07"),
    spec=SPEC,
    since="0.2",
    bad="""
        ->[post] {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <> 200 {"response_headers": {"content-type": "application/json"}}
        <-[post] {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        ->[post] {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <> 200
        <-[post c1] {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def connection_id_not_given(exchange: HttpExchange, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports a response to the POST of `initialize` without the header `Acp-Connection-Id`. For the
    response that opens a WebSocket, it is a note.

    ## Why it matters

    The client has to send this id with every later request, and cannot go on without it. A
    WebSocket works without the id, and some servers do not send it.

    ## Use instead

    Send a new `Acp-Connection-Id` with the response to `initialize`, and with status 101.
    """
    is_socket = exchange.transport == "ws"
    opens = facts.posted is not None and facts.posted.method == "initialize"
    if exchange.status != (101 if is_socket else 200) or not (is_socket or opens):
        return
    if not exchange.response_headers.get("acp-connection-id"):
        what = "that opens the WebSocket" if is_socket else "to `initialize`"
        yield Remark(
            f"the response {what} has no header `Acp-Connection-Id`",
            on=exchange.request or None,
            blame=Peer.AGENT,
            severity=Severity.NOTE if is_socket else None,
            hint="send an `Acp-Connection-Id` with the response",
        )
