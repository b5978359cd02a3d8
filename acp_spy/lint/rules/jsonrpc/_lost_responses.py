"""Requests that seem to be unanswered, although a response was sent: other rules report why."""

from typing import Any

from acp_spy.capture.records import Stderr
from acp_spy.conversation.state import Exchange, OpenRequests, Step
from acp_spy.lint.lines import is_header
from acp_spy.lint.other_protocols import protocol_of_method
from acp_spy.lint.pairing import answers_on_stderr, meant_by, only_open, plain
from acp_spy.lint.rules.jsonrpc.wrong_message_kind import ONLY
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Response

LOSSES = ("stderr", "unmatched", "line:header", "glued")  # what `note` must be shown
_MOST = 256


def note(moment: Step | Stderr, memory: dict[Any, Any]) -> None:
    """Remember what explains that a request, or its response, was lost."""
    if isinstance(moment, Stderr):
        for ident in answers_on_stderr(moment.raw):
            _put(memory, (Peer.AGENT, plain(ident)))
        return
    step, sender, pending = moment, moment.frame.sender, moment.state.pending
    if type(step.message) is Response:
        _put(memory, (sender, plain(step.message.id)))
        for meant in meant_by(step.state, sender.other, step.message.id):
            _explain(memory, meant, pending)  # its id was changed
        if step.exchange is None and (only := only_open(step, step.message.id)):
            _explain(memory, only, pending)  # the response has an id that no request has
    elif step.glued_at:
        _put(memory, step.frame.seq)  # a reader of lines has not seen this request
    elif is_header(step.frame.payload):
        _put(memory, sender)  # nor anything from this peer


def _put(memory: dict[Any, Any], key: Any) -> None:
    memory[key] = True
    if len(memory) > _MOST:
        del memory[next(known for known in memory if not isinstance(known, str))]


def _explain(memory: dict[Any, Any], exchange: Exchange, pending: OpenRequests) -> None:
    """Remember that another rule reports why `exchange` has no response; forget closed ones."""
    explained = memory.setdefault("explained", set())
    explained.add(exchange.seq)
    if len(explained) > _MOST + 2 * len(pending):
        explained &= {each.seq for each in pending.values()}


def is_explained(exchange: Exchange, memory: dict[Any, Any]) -> bool:
    """Return whether another rule reports why there is no response."""
    answering = exchange.sender.other
    return (
        ONLY.get(exchange.method) == "notification"
        or bool(protocol_of_method(exchange.method))
        or exchange.seq in memory.get("explained", ())
        or exchange.seq in memory
        or exchange.sender in memory
        or (answering, plain(exchange.id)) in memory
    )
