"""Every message says that it is JSON-RPC 2.0."""

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
    summary='A message lacks `"jsonrpc": "2.0"`',
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
    Each request, notification and response has the member `jsonrpc` with the string `2.0`. Strict
    readers take a line without it for something else and drop it; what was asked is never
    answered.

    The number 2.0 and the string `2` are not it, either.
    """
    members = facts.members
    version = members.get("jsonrpc", b'"2.0"' if not members else b"")
    if version == b'"2.0"' or (not version and JSONRPC in facts.dialect_words):
        return
    seen = f"`jsonrpc` is {quote(version)}" if version else "`jsonrpc` is missing"
    yield Remark(
        f'{seen}; expected `"2.0"`',
        at="/jsonrpc" if version else "",
        hint='send `"jsonrpc": "2.0"` with every message',
    )
