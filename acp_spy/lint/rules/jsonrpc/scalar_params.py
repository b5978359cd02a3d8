"""The params of a method are an object."""

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
    summary="The `params` of a custom method are not an object",
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
    ## What it does

    Reports `params` of a custom method that are a string, a number or a boolean. The SCH rules
    check the `params` of ACP's own methods.

    ## Why it matters

    JSON-RPC allows an object (by name) or a list (by position). Libraries refuse anything else
    before they look up the method. ACP itself uses objects only.

    ## Use instead

    Put the value into an object, under a key.
    """
    if not isinstance(step.message, Request | Notification) or step.method in KNOWN:
        return
    raw = step.message.params
    if raw and raw[:1] not in b"{[" and raw != b"null":
        yield Remark(
            f"`params` of `{step.method}` is {_kind(step.body)}; expected an object",
            at="/params",
            hint="put the value into an object, under a key",
        )


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "a string"
    return "a boolean" if isinstance(value, bool) else "a number"
