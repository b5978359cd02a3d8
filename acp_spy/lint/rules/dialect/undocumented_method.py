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
    summary="A method is not in the dialect's document",
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
    ## What it does

    Reports methods that the dialect's document does not have, or has for the other peer, or as a
    request instead of a notification. Runs only with `--dialect NAME`, which checks against that
    document instead of official ACP.

    If the document shows how an unknown method is refused, a refused request is not reported.

    ## Why it matters

    A program that was written from the document knows only the methods in it. It refuses or drops
    the others.

    ## Use instead

    Use the methods of the document.
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
            f"the {sender.value} sent `{name}`; only the {sender.other.value} sends it,"
            f" per {dialect.origin}",
            at="/method",
            hint="are client and agent swapped?",
        )
    elif not document.method(name, sender, kind) and dialect.has_jsonrpc:
        seen, right = ("an id", "notification") if kind == "request" else ("no id", "request")
        yield Remark(
            f"`{name}` has {seen}; it is a {right}, per {dialect.origin}",
            at="/id" if kind == "request" else "",
            hint="remove `id`" if kind == "request" else "add an `id`",
        )


def _unknown(dialect: Dialect, name: str, asked: Exchange | None = None) -> Remark:
    assert dialect.document is not None
    known = tuple(dict.fromkeys(method.name for method in dialect.document.methods))
    legacy = foreign(name)
    meant = (own_words(dialect).get(name), legacy.instead if legacy else "", nearest(name, known))
    own = next((word for word in meant if word in known), "")
    return Remark(
        f"{names([name])} is not a method in {dialect.origin}",
        at="/method",
        on=asked.seq if asked else None,
        blame=asked.sender if asked else None,
        hint=f"use `{own}`" if own else f"use one of {', '.join(f'`{n}`' for n in known)}",
    )


def _is_refused(step: Step) -> bool:
    return error_code(step) == METHOD_NOT_FOUND
