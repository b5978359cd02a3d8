"""A dialect has the methods that its document lists."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Exchange, Step
from acp_spy.dialect.declaration import Dialect
from acp_spy.lint.envelope import error_code
from acp_spy.lint.other_protocols import protocol_of_method
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.dialect._words import names, own_words
from acp_spy.protocol.foreign_methods import foreign
from acp_spy.protocol.spelling import nearest
from acp_spy.protocol.tables import Kind, Spec
from acp_spy.wire.jsonrpc import Notification, Request, Response

METHOD_NOT_FOUND = -32601


@rule(
    code="DIA002",
    name="undocumented-method",
    severity=Severity.ERROR,
    summary="A method is not as the dialect's document has it",
    on=("request", "notification", "response", "end"),
    dialect="crow",
    bad="""
        -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 5, "method": "cancel", "params": {"session_id": "s-1"}}
        <- {"jsonrpc": "2.0", "id": 5, "result": null}
    """,
)
def undocumented_method(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    Asked with `--dialect NAME` only, which judges a conversation by that dialect's document instead
    of official ACP. A program that was written from the document knows the methods in it, by these
    names, from that side, as requests or as notifications; what else comes it will refuse or drop.

    Where the document shows how an unknown method is refused, asking for one and being refused is
    no mistake.
    """
    dialect = moment.state.dialects.settled
    if dialect is None or dialect.document is None:
        return
    if isinstance(moment, Ending):
        open_ones = moment.state.pending.values()
        yield from (_unknown(dialect, e.method, e) for e in open_ones if e.seq in memory)
    elif isinstance(moment.message, Response):
        asked = moment.exchange
        if asked and memory.pop(asked.seq, False) and not _is_refused(moment):
            yield _unknown(dialect, asked.method, asked)
    elif isinstance(moment.message, Request | Notification):
        yield from _judge(moment, dialect, dialect.document, memory)


def _judge(
    step: Step, dialect: Dialect, document: Spec, memory: dict[Any, Any]
) -> Iterator[Remark]:
    name, sender = step.method, step.frame.sender
    kind: Kind = "request" if isinstance(step.message, Request) else "notification"
    ways = document.find(name)
    if not ways:
        if dialect.shows_refusal and kind == "request":
            remember(memory, step.frame.seq, True)  # it depends on the answer
        elif not protocol_of_method(name):
            yield _unknown(dialect, name)
    elif not any(sender in way.senders for way in ways):
        yield Remark(
            f"the {sender.value} sent `{name}`, which is for the {sender.other.value} to send,"
            f" according to {dialect.origin}",
            at="/method",
            hint="are the two programs started in each other's place?",
        )
    elif not document.method(name, sender, kind) and dialect.has_jsonrpc:
        seen, right = ("an id", "notification") if kind == "request" else ("no id", "request")
        yield Remark(
            f"`{name}` has {seen}; it is a {right} according to {dialect.origin}",
            at="/id" if kind == "request" else "",
            hint="leave `id` out" if kind == "request" else "send it with an `id`",
        )


def _unknown(dialect: Dialect, name: str, asked: Exchange | None = None) -> Remark:
    assert dialect.document is not None
    known = tuple(dict.fromkeys(method.name for method in dialect.document.methods))
    legacy = foreign(name)
    meant = (own_words(dialect).get(name), legacy.instead if legacy else "", nearest(name, known))
    own = next((word for word in meant if word in known), "")
    return Remark(
        f"{names([name])} is not a method according to {dialect.origin}",
        at="/method",
        on=asked.seq if asked else None,
        blame=asked.sender if asked else None,
        hint=f"use `{own}`" if own else f"its methods are {', '.join(f'`{n}`' for n in known)}",
    )


def _is_refused(step: Step) -> bool:
    return error_code(step) == METHOD_NOT_FOUND
