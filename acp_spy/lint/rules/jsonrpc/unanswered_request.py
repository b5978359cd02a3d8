"""Every request gets a response."""

from collections.abc import Iterator
from typing import Any

from acp_spy.capture.records import Closed, Stderr
from acp_spy.conversation.state import Ending, Exchange, OpenRequests, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.lines import is_header
from acp_spy.lint.other_protocols import protocol_of_method
from acp_spy.lint.pairing import answers_on_stderr, meant_by, only_open, plain
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.jsonrpc.agent_died import left_first
from acp_spy.lint.rules.jsonrpc.long_silence import hanging
from acp_spy.lint.rules.jsonrpc.wrong_message_kind import ONLY
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response

MOST = 256


@rule(
    code="RPC006",
    name="unanswered-request",
    severity=Severity.ERROR,
    summary="A request was never answered",
    on=("end", "closed", "stderr", "unmatched", "line:header", "glued"),
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
    if isinstance(moment, Step):
        _note(moment, memory)
    elif isinstance(moment, Closed):
        memory.setdefault("first", moment.sender)
        memory.setdefault("closed", moment.t)
    elif isinstance(moment, Stderr):
        for ident in answers_on_stderr(moment.raw):
            _put(memory, (Peer.AGENT, plain(ident)))
    elif not left_first(moment, memory) and not moment.state.ended_by:
        yield from _unanswered(moment, facts, memory)


def _note(step: Step, memory: dict[Any, Any]) -> None:
    """Remember what explains that a request, or its response, was lost."""
    sender, pending = step.frame.sender, step.state.pending
    if type(step.message) is Response:
        _put(memory, (sender, plain(step.message.id)))
        for meant in meant_by(step.state, sender.other, step.message.id):
            _explain(memory, meant, pending)  # its id was changed
        if step.exchange is None and (only := only_open(step)):
            _explain(memory, only, pending)  # the response has an id that no request has
    elif step.glued_at:
        _put(memory, step.frame.seq)  # a reader of lines has not seen this request
    elif is_header(step.frame.payload):
        _put(memory, sender)  # nor anything from this peer


def _put(memory: dict[Any, Any], key: Any) -> None:
    memory[key] = True
    if len(memory) > MOST:
        del memory[next(known for known in memory if not isinstance(known, str))]


def _explain(memory: dict[Any, Any], exchange: Exchange, pending: OpenRequests) -> None:
    """Remember that another rule reports why `exchange` has no response; forget closed ones."""
    explained = memory.setdefault("explained", set())
    explained.add(exchange.seq)
    if len(explained) > MOST + 2 * len(pending):
        explained &= {each.seq for each in pending.values()}


def _unanswered(ending: Ending, facts: Facts, memory: dict[Any, Any]) -> Iterator[Remark]:
    silence = min(ending.t, memory.get("closed", ending.t)) - ending.state.t
    hung = hanging(ending.state, silence) if ending.cut_off else None
    # The agent could not answer before the client did: the client's missing response is reported.
    blocked = ending.state.waits_for()
    for exchange in ending.state.pending.values():
        if (
            exchange is not hung
            and exchange.seq not in blocked
            and not _is_explained(exchange, facts, memory)
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
    for turn in session.turns if session else ():
        if turn.exchange is exchange and turn.cancelled_seq is not None:
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


def _is_explained(exchange: Exchange, facts: Facts, memory: dict[Any, Any]) -> bool:
    """Tell whether another rule reports why there is no response."""
    answering = exchange.sender.other
    return (
        ONLY.get(exchange.method) == "notification"
        or bool(protocol_of_method(exchange.method))
        or exchange.seq in memory.get("explained", ())
        or exchange.seq in memory
        or exchange.sender in memory
        or (answering, plain(exchange.id)) in memory
        or facts.pairing.lost(answering, exchange.id)
    )
