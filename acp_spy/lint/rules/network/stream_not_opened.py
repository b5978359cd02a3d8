"""Responses come on a stream, which the client opens."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import HttpExchange
from acp_spy.conversation.chunk import LONG_SILENCE
from acp_spy.conversation.state import Ending
from acp_spy.lint.facts import Facts
from acp_spy.lint.posts import has_updates, named, stream_of, streams_for
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle import _examples as stdio
from acp_spy.lint.rules.network._examples import (
    CONNECT,
    END_TURN,
    OPENING,
    PROMPT,
    SPEC,
    over,
    transcript,
)
from acp_spy.wire.frame import Peer

MOST = 1024  # streams and requests that are remembered
_ASKS, _GETS = stdio.NEW_SESSION.splitlines()


@rule(
    code="NET017",
    name="stream-not-opened",
    severity=Severity.ERROR,
    summary="The client has not opened the stream on which a response comes",
    on=("exchange", "end"),
    covers=("NET-06",),
    spec=SPEC,
    since="0.2",
    bad=transcript(
        CONNECT,
        over("post c1", _ASKS),
        "<> 202",
        over("connection c1", _GETS),
        PROMPT,
        "@ 60",
        "<> END 2 client",
    ),
    good=transcript(OPENING, PROMPT, END_TURN),
)
def stream_not_opened(
    moment: HttpExchange | Ending, facts: Facts, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports a request that was accepted with 202 and has no response after 10 s, if the client has
    never asked for the stream on which the response comes: that of the session on the same
    connection, or that of the connection for requests about no session.

    ## Why it matters

    The status 202 says only that the message was received. The agent may have answered at once:
    its server keeps the response, the updates and the permission requests until somebody opens the
    stream. To the user, the agent hangs.

    ## Use instead

    Open the stream of the connection after `initialize`, and that of a session as soon as its id is
    known: with GET, `Accept: text/event-stream`, `Acp-Connection-Id` and, for a session,
    `Acp-Session-Id`.
    """
    if "too many" in memory:
        return
    if isinstance(moment, HttpExchange):
        _note(moment, facts, memory)
        return
    reported = set()
    for exchange in moment.state.pending.values():
        connection, streams = memory.get(exchange.seq), streams_for(exchange)
        if (
            connection is not None
            and not any(("stream", *each) in memory for each in named(connection, streams))
            and moment.t - exchange.t >= LONG_SILENCE
            and not has_updates(moment.state, exchange)
            and (connection, streams) not in reported
        ):
            reported.add((connection, streams))
            stream, headers = stream_of(streams[-1])
            yield Remark(
                f"`{exchange.name}` was accepted, but the client never opened the {stream}, on"
                " which the response comes",
                on=exchange.seq,
                blame=Peer.CLIENT,
                hint=f"open it with GET, {headers}",
            )


def _note(exchange: HttpExchange, facts: Facts, memory: dict[Any, Any]) -> None:
    """Remember which streams were asked for, and which requests were accepted."""
    if exchange.method == "GET":  # why one was refused, other rules report
        memory["stream", exchange.connection, exchange.session] = True
    elif 200 <= exchange.status < 300 and facts.posted is not None and exchange.connection:
        memory[exchange.request] = exchange.connection
    if len(memory) > MOST:
        oldest = next((each for each in memory if isinstance(each, int)), None)
        if oldest is None:
            memory["too many"] = True
        else:
            del memory[oldest]
