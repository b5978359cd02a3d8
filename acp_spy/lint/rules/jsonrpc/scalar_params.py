"""Params are an object."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.unusual import KNOWN
from acp_spy.wire.jsonrpc import Notification, Request


@rule(
    code="RPC003",
    name="scalar-params",
    severity=Severity.ERROR,
    summary="The params of a custom method are no object",
    on=("unusual",),
    covers=("RPC-03",),
    spec="https://www.jsonrpc.org/specification#parameter_structures",
    bad="""
        -> {"jsonrpc": "2.0", "method": "_example.com/log", "params": "hello"}
    """,
    good="""
        -> {"jsonrpc": "2.0", "method": "_example.com/log", "params": {"text": "hello"}}
    """,
)
def scalar_params(step: Step) -> Iterator[Remark]:
    """
    JSON-RPC knows params by name, an object, and params by position, a list. A string or a number
    is neither, and libraries refuse the message before the method is even looked up. ACP itself
    uses objects only.

    The params of ACP's own methods are judged by their shapes; this is for all others.
    """
    if not isinstance(step.message, Request | Notification) or step.method in KNOWN:
        return
    raw = step.message.params
    if raw and raw[:1] not in b"{[" and raw != b"null":
        yield Remark(
            f"`params` of `{step.method}` is {_kind(step.body)}; expected an object",
            at="/params",
            hint="put the value into an object, under a name",
        )


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "a string"
    return "true or false" if isinstance(value, bool) else "a number"
