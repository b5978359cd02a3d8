"""Streamable HTTP runs over HTTP/2."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import SPEC
from acp_spy.wire.frame import Peer


@rule(
    code="NET011",
    name="http1-connection",
    severity=Severity.NOTE,
    summary="The client spoke HTTP/1.1; the transport requires HTTP/2",
    on=("exchange",),
    covers=("NET-02",),
    spec=SPEC,
    since="0.2",
    bad="""
        ->[post] {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <> 200 {"http": "1.1"}
        <-[post c1] {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        ->[post] {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <> 200 {"http": "2"}
        <-[post c1] {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def http1_connection(exchange: HttpExchange, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports once that the client used HTTP/1.1 for the HTTP transport. If the target agreed to
    HTTP/2 by TLS, it is not reported: a client of `acp-spy http` has no TLS to learn that.

    ## Why it matters

    The specification requires HTTP/2, but no SDK enforces it, and HTTP/1.1 works: each stream takes
    a TCP connection of its own. A browser allows six of them per host.

    ## Use instead

    Use HTTP/2: by ALPN over TLS, with prior knowledge otherwise. On the same machine, HTTP/1.1 does
    no harm.
    """
    if exchange.transport != "http" or exchange.http not in ("1.0", "1.1") or memory:
        return
    if exchange.error or exchange.http_target == "2":
        return  # nobody answered; or the target speaks HTTP/2, and the client had no TLS to learn it
    memory["reported"] = True
    yield Remark(
        f"the client spoke HTTP/{exchange.http}; the HTTP transport requires HTTP/2",
        on=exchange.request or None,
        blame=Peer.CLIENT,
        hint="use HTTP/2, or ignore this on the same machine",
    )
