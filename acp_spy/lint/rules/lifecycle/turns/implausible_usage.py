"""The numbers of a `usage_update` are plausible."""

import re
from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)
from acp_spy.protocol import events as ev
from acp_spy.wire.values import fields

_CURRENCY = re.compile("[A-Z]{3}")


@rule(
    code="LIF057",
    name="implausible-usage",
    severity=Severity.WARNING,
    summary="The numbers of a `usage_update` cannot be right",
    on=("update:usage_update", "SessionOpened"),
    covers=("USG-02",),
    spec="https://agentclientprotocol.com/protocol/schema#usageupdate",
    bad=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "usage_update", "used": 5000, "size": 0}}}
        """,
    ),
    good=transcript(
        HANDSHAKE,
        NEW_SESSION,
        PROMPT,
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "usage_update", "used": 5000, "size": 200000, "cost": {"amount": 0.02, "currency": "USD"}}}}
        """,
        CHUNK,
        END_TURN,
    ),
)
def implausible_usage(step: Step, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does
    Reports a `used` above `size`, a `size` of 0, a `cost` that falls, and a `currency` that is not
    three capital letters (ISO 4217). Each is reported once per session.

    ## Why it matters
    `used` counts the tokens in the context window, `size` is the window, and `cost` is the total of
    the session so far. Clients draw a bar and show a total from these numbers.

    ## Use instead
    Send the current size of the context and the total cost. Send no `usage_update` while the size
    of the window is unknown.
    """
    if type(step.event) is ev.SessionOpened:
        memory.pop(step.event.session, None)
        return
    body = fields(step.body)
    name, update = body.get("sessionId"), fields(body.get("update"))
    if not isinstance(name, str) or _is_plain(update):
        return
    reported, last = memory.get(name, ((), None))
    cost = fields(update.get("cost"))
    spent = _number(cost, "amount") if isinstance(cost.get("currency"), str) else None
    found = [remark for remark in _judge(update, cost, spent, last) if remark.at not in reported]
    remember(memory, name, ((*reported, *(r.at for r in found)), last if spent is None else spent))
    yield from found


def _is_plain(update: dict[str, Any]) -> bool:
    """Return whether there is nothing to check, which is nearly always so."""
    used, size = update.get("used"), update.get("size")
    return (
        type(used) is int
        and type(size) is int
        and used <= size
        and size > 0
        and not update.get("cost")
    )


def _judge(
    update: dict[str, Any], cost: dict[str, Any], spent: float | None, last: float | None
) -> Iterator[Remark]:
    used, size, currency = _number(update, "used"), _number(update, "size"), cost.get("currency")
    place = "/params/update"
    if size == 0:
        yield Remark(
            "`size` is `0`; expected the size of the context window",
            at=f"{place}/size",
            hint="send no `usage_update` while the size of the window is unknown",
        )
    elif used is not None and size is not None and used > size:
        yield Remark(
            f"`used` is {quoted(used)}; expected at most `size`, which is {quoted(size)}",
            at=f"{place}/used",
            hint="send what is in the context window now, not the total of all requests",
        )
    if isinstance(currency, str) and not _CURRENCY.fullmatch(currency):
        yield Remark(
            f"`currency` is {quoted(currency)}; expected an ISO 4217 code such as `USD`",
            at=f"{place}/cost/currency",
        )
    if spent is not None and last is not None and spent < last - 1e-9:
        yield Remark(
            f"`cost` fell from {quoted(last)} to {quoted(spent)}; expected the total so far",
            at=f"{place}/cost/amount",
            hint="send the cost of the whole session, not of one turn",
        )


def _number(holder: dict[str, Any], key: str) -> float | None:
    value = holder.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
