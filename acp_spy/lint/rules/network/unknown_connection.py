"""A connection lives until it is deleted."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import is_lost_response, name_of, refusal
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import END_TURN, OPENING, PROMPT, SPEC, transcript
from acp_spy.wire.frame import Peer

PROMPT_REFUSED = PROMPT.splitlines()[0]


@rule(
    code="NET005",
    name="unknown-connection",
    severity=Severity.ERROR,
    summary="The server does not know a connection or a session",
    on=("exchange",),
    covers=("NET-05", "NET-08"),
    spec=SPEC,
    since="0.2",
    bad=transcript(OPENING, PROMPT_REFUSED, '<> 404 {"body": "Unknown connection"}'),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def unknown_connection(
    exchange: HttpExchange, facts: Facts, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a request with `Acp-Connection-Id` that was refused with 404. If the client has sent a
    DELETE, or an id that it was not given, the client must fix it. Otherwise the server has
    forgotten a connection that was in use: it was restarted, or the request reached another server.

    ## Why it matters

    Everything that belongs to the connection is lost: its sessions, its pending requests, its
    streams.

    ## Use instead

    Client: on 404, begin again with `initialize`, and load the session. Server: keep a connection
    until its DELETE, or until it was idle for a documented time. Behind a load balancer, use sticky
    cookies.
    """
    given = exchange.response_headers.get("acp-connection-id")
    if given and not exchange.is_refused:
        memory["given"] = given
    if exchange.method == "DELETE":
        memory["deleted"] = exchange.connection
        return
    if exchange.status != 404 or not exchange.connection:
        return
    if facts.posted is not None and is_lost_response(exchange, facts.posted):
        return
    connection = f"connection `{exchange.connection}`"
    name = name_of(facts.posted) if exchange.request else f"`{exchange.method}`"
    blame, hint = Peer.CLIENT, "begin again with `initialize`"
    if memory.get("deleted") == exchange.connection:
        why = f"the client has deleted {connection}"
    elif memory.get("given", exchange.connection) != exchange.connection:
        why = f"{connection} is not the one from the response to `initialize`"
        hint = f"send `Acp-Connection-Id: {memory['given']}`"
    elif exchange.session and exchange.method == "GET":
        why = f"session `{exchange.session}` of {connection} is unknown"
        hint = "open the session before its stream, and use its `sessionId`"
    else:
        why = f"{connection} was in use"
        blame, hint = Peer.AGENT, "keep a connection until it is deleted; use sticky cookies"
    yield Remark(
        f"{name} was {refusal(exchange)}: {why}",
        on=exchange.request or None,
        blame=blame,
        hint=hint,
    )
