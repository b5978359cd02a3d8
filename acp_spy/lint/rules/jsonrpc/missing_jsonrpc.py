"""Every message has `jsonrpc`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.dialect_words import JSONRPC
from acp_spy.lint.facts import Facts
from acp_spy.lint.noise import quote
from acp_spy.lint.rule import Remark, Severity, rule


@rule(
    code="RPC001",
    name="missing-jsonrpc",
    severity=Severity.ERROR,
    summary='A message has no `"jsonrpc": "2.0"`',
    on=("unusual",),
    covers=("RPC-01",),
    spec="https://www.jsonrpc.org/specification#request_object",
    bad="""
        -> {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
    good="""
        -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
        <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    """,
)
def missing_jsonrpc(_step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does

    Reports messages without the field `jsonrpc`, or with another value than the string `2.0`. The
    number 2.0 and the string `2` are also wrong.

    ## Why it matters

    Every request, notification and response has this field. Strict readers drop a message without
    it, and a request is then never answered.

    ## Use instead

    Add `"jsonrpc": "2.0"` to every message.
    """
    members = facts.members
    version = bytes(members.get("jsonrpc", b'"2.0"' if not members else b""))
    if version == b'"2.0"' or (not version and JSONRPC in facts.dialect_words):
        return
    seen = f"`jsonrpc` is {quote(version)}" if version else "`jsonrpc` is missing"
    yield Remark(
        f'{seen}; expected `"2.0"`',
        at="/jsonrpc" if version else "",
        hint='add `"jsonrpc": "2.0"` to every message',
    )
