"""Every request gets a response."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed, Stderr
from acp_spy.conversation.state import Ending, Exchange, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.jsonrpc._lost_responses import LOSSES, is_explained, note
from acp_spy.lint.rules.jsonrpc.agent_died import left_first
from acp_spy.lint.rules.jsonrpc.long_silence import hanging


@rule(
    code="RPC006",
    name="unanswered-request",
    severity=Severity.ERROR,
    summary="A request was never answered",
    on=("end", "closed", *LOSSES),
    covers=("RPC-06", "X-02", "EXT-06", "PRM-03"),
    spec="https://www.jsonrpc.org/specification#response_object",
    bad="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        -> EOF
        == 0
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
        -> EOF
        == 0
    """,
)
def unanswered_request(
    moment: Step | Closed | Stderr | Ending, facts: Facts, memory: dict[Any, Any]
) -> Iterator[Remark]:
    """
    ## What it does

    Reports requests that have no response at the end of the capture. If the capture was cut off,
    that is a note. It is not reported where another finding gives the reason: the response had
    another id, could not be read, or the agent exited.

    ## Why it matters

    Every request gets exactly one response, a result or an error. The peer that should have
    answered must fix it, not the one that sent the request: a client whose chat hangs waits for one
    of these responses.

    ## Use instead

    Answer every request, with an error if nothing else is possible. Answer a cancelled
    `session/prompt` with `"stopReason": "cancelled"`.
    """
    if isinstance(moment, Step | Stderr):
        note(moment, memory)
    elif isinstance(moment, Closed):
        memory.setdefault("first", moment.sender)
        memory.setdefault("closed", moment.t)
    elif not left_first(moment, memory) and not moment.state.ended_by:
        yield from _unanswered(moment, facts, memory)


def _unanswered(ending: Ending, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    silence = min(ending.t, memory.get("closed", ending.t)) - ending.state.t
    hung = hanging(ending.state, silence) if ending.cut_off else None
    # The agent could not answer before the client did: the client's missing response is reported.
    blocked = ending.state.waits_for()
    for exchange in ending.state.pending.values():
        if (
            exchange is not hung
            and exchange.seq not in blocked
            and not is_explained(exchange, memory)
            and not facts.pairing.lost(exchange.sender.other, exchange.id)
            and not _was_returned(exchange, ending)
        ):
            text, hint = _described(exchange, ending)
            yield Remark(
                text,
                on=exchange.seq,
                blame=exchange.sender.other,
                severity=Severity.NOTE if ending.cut_off else None,
                hint=hint,
            )


def _described(exchange: Exchange, ending: Ending) -> tuple[str, str]:
    """Return what to say about a request without a response, and the hint."""
    session = ending.state.sessions.get(exchange.session or "")
    turn = session.turn_of(exchange.seq) if session else None
    if turn is not None and turn.exchange is exchange and turn.cancelled_seq is not None:
        seen = f"`{exchange.method}` was cancelled at frame {turn.cancelled_seq}"
        return (
            f"{seen} and never answered; expected `stopReason: cancelled`",
            'answer a cancelled prompt with `"stopReason": "cancelled"`',
        )
    if session and session.last_turn_cancelled and exchange.method == "session/prompt":
        return (
            f"`{exchange.method}` was never answered; the turn before it was cancelled",
            "keep the session usable after `session/cancel`: end only the turn",
        )
    if ending.cut_off:
        return (
            f"`{exchange.name}` had no response when the capture ended",
            "record the conversation to its end to see whether a response comes",
        )
    return (
        f"`{exchange.name}` was never answered",
        "answer every request, with an error if nothing else is possible",
    )


def _was_returned(exchange: Exchange, ending: Ending) -> bool:
    """Whether the other peer sent the same request back, where RPC015 reports its own."""
    twin = ending.state.pending.get((exchange.sender.other, exchange.id))
    return twin is not None and twin.method == exchange.method
