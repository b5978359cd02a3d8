"""Streamable HTTP runs over HTTP/2."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Disconnect, HttpExchange
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.network._examples import CONNECT, SPEC, transcript
from acp_spy.wire.frame import Peer

MOST = 5  # streams at once: a browser has six connections to a host, and a POST needs one


def _streams(version: str) -> str:
    return transcript(
        CONNECT, *(f'<> GET c1 s{number} 200 {{"http": "{version}"}}' for number in range(MOST + 1))
    )


@rule(
    code="NET011",
    name="http1-connection",
    severity=Severity.NOTE,
    summary="Many streams are open over HTTP/1.1; the transport requires HTTP/2",
    on=("exchange", "disconnect"),
    covers=("NET-02",),
    spec=SPEC,
    since="0.2",
    bad=_streams("1.1"),
    good=_streams("2"),
)
def http1_connection(record: HttpExchange | Disconnect, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    Reports once that more than five streams are open at the same time over HTTP/1.1, unless the
    target agreed to HTTP/2: a client of `acp-spy http` cannot know that.

    ## Why it matters

    The specification requires HTTP/2, no SDK enforces it, and HTTP/1.1 works with few streams. Each
    takes a connection. A browser opens six per host: after that no POST is sent, and it hangs.

    ## Use instead

    Use HTTP/2, or a WebSocket.
    """
    if isinstance(record, Disconnect):
        memory.pop(record.exchange, None)
        return
    is_old = record.http in ("1.0", "1.1") and record.http_target != "2"
    is_stream = record.transport == "http" and record.method == "GET" and record.status == 200
    if not (is_old and is_stream and record.stream) or "reported" in memory:
        return
    memory[record.id] = True
    if len(memory) > MOST:
        memory["reported"] = True
        yield Remark(
            f"{len(memory) - 1} streams are open at once over HTTP/{record.http}, each on a"
            " connection of its own; the HTTP transport requires HTTP/2",
            blame=Peer.CLIENT,
            hint="use HTTP/2 or a WebSocket; a browser opens at most 6 connections per host",
        )
