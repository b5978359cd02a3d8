"""A permission option is of one of four kinds."""

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
    summary="A permission option of a kind that this version does not have",
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
    The kind of an option is `allow_once`, `allow_always`, `reject_once` or `reject_always`. Clients
    choose the icon by it, and those that answer by themselves choose the option by it. With another
    kind a strict client refuses the request, and the tool call never gets its permission.

    Say what is special about an option in its `name`; several options may have the same kind.
    """
    for mistake in facts.mistakes_of("unknown-permission-kind"):
        mismatch = mistake.first
        yield Remark(
            f"{text_of(step, mismatch)} is no kind of option; expected {mismatch.expected}"
            f"{loss(mismatch)}{again(mistake)}",
            at=mismatch.path,
            severity=severity(mistake),
            hint=f"send `{mismatch.instead}`"
            if mismatch.instead
            else "send the kind that comes nearest",
        )
