"""Repairs of a message's envelope: RPC."""

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.fixes.fix import Fix
from acp_spy.lint.rules.jsonrpc.missing_jsonrpc import missing_jsonrpc
from acp_spy.wire.edit import Add, Edit, Remove, Replace
from acp_spy.wire.jsonrpc import Response

_VERSION = b'"2.0"'


def _add_jsonrpc(step: Step, facts: Facts) -> list[Edit] | None:
    for remark in missing_jsonrpc.check(step, facts):
        return [Replace(remark.at, _VERSION) if remark.at else Add("", "jsonrpc", _VERSION)]
    return None


def _remove_null(step: Step, facts: Facts) -> list[Edit] | None:
    message = step.message
    if not isinstance(message, Response) or not message.result or not message.error:
        return None
    if message.error == b"null":
        return [Remove("/error")]
    return [Remove("/result")] if message.result == b"null" and facts.members else None


def _restore_id(_step: Step, facts: Facts) -> list[Edit] | None:
    reason, exchange = facts.unmatched
    return [Replace("/id", exchange.id)] if reason == "changed" and exchange else None


FIXES = (
    Fix("RPC001", '`"jsonrpc": "2.0"` is added.', _add_jsonrpc),
    Fix(
        "RPC002",
        "If one of `result` and `error` is null, it is removed.",
        _remove_null,
        always=False,
    ),
    Fix("RPC005", "The id of the request is restored.", _restore_id),
)
