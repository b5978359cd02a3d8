"""A permission option has one of four kinds."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn
from acp_spy.lint.rules.schema._words import again, loss, severity, text_of


@rule(
    code="SCH024",
    name="unknown-permission-kind",
    severity=Severity.ERROR,
    summary="A permission option is of a kind that this version does not define",
    on=("mismatch",),
    covers=("PER-05",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#permission-options",
    bad=in_turn(
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Editing the test"}}}
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s-1", "toolCall": {"toolCallId": "call-1", "title": "Editing the test"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_persistent"}]}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "in_progress"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed"}}}
        """
    ),
    good=in_turn(
        """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Editing the test"}}}
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s-1", "toolCall": {"toolCallId": "call-1", "title": "Editing the test"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_always"}]}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "in_progress"}}}
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed"}}}
        """
    ),
)
def unknown_permission_kind(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports permission options of another kind than `allow_once`, `allow_always`, `reject_once` and
    `reject_always`.

    ## Why it matters
    Clients choose the icon by the kind, and automatic clients choose the option by it. A strict
    client refuses the request, and the tool call never gets permission.

    ## Use instead
    Use one of the four kinds, and explain the option in its `name`. Several options may have the
    same kind.
    """
    for mistake in facts.mistakes_of("unknown-permission-kind"):
        mismatch = mistake.first
        yield Remark(
            f"{text_of(step, mismatch)} is not a kind of permission option; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send `{mismatch.instead}`" if mismatch.instead else "send the closest kind",
        )
