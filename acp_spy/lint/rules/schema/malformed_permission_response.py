"""The response to a permission request contains `outcome` twice."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn
from acp_spy.lint.rules.schema._words import quoted, sort_of, subject, text_of
from acp_spy.protocol.mismatch import Mismatch, MismatchKind

_SHAPE = '`{"outcome": {"outcome": "selected", "optionId": …}}`'
_ASKED = """\
<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Editing the test"}}}
<- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s-1", "toolCall": {"toolCallId": "call-1", "title": "Editing the test"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]}}
"""
_DONE = """
<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "in_progress"}}}
<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed"}}}
"""


@rule(
    code="SCH015",
    name="malformed-permission-response",
    severity=Severity.ERROR,
    summary="The response to a permission request is malformed",
    on=("mismatch",),
    covers=("PER-03",),
    spec="https://agentclientprotocol.com/protocol/tool-calls#requesting-permission",
    bad=in_turn(_ASKED + '-> {"jsonrpc": "2.0", "id": 0, "result": {"optionId": "yes"}}' + _DONE),
    good=in_turn(
        _ASKED
        + '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}'
        + _DONE
    ),
)
def malformed_permission_response(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    ## What it does
    Reports responses to `session/request_permission` that are malformed. The result has an
    `outcome`, which is an object with its own `outcome`: `selected`, with the `optionId` of the
    chosen option, or `cancelled`, without one.

    ## Why it matters
    The agent treats the response as a refusal, fails the turn or waits forever.

    ## Use instead
    Name the choice by its `optionId`, never by an outcome such as `allow_once` or `approved`.
    """
    for mistake in facts.mistakes_of("malformed-permission-response"):
        mismatch = mistake.first
        yield Remark(
            f"{_seen(step, mismatch)}; expected {_SHAPE}",
            at=mismatch.path,
            see=step.exchange.seq if step.exchange else None,
            hint="send the `optionId` of the chosen option, or `cancelled` if the turn was cancelled",
        )


def _seen(step: Step, mismatch: Mismatch) -> str:
    match mismatch.kind:
        case MismatchKind.MISSING_WRAPPER:
            return "the outer `outcome` is missing"
        case MismatchKind.MISSING_TAG:
            return "the outcome is neither `selected` nor `cancelled`"
        case MismatchKind.MISSING_KEY:
            return f"`{mismatch.key}` is missing in {subject(mismatch)}"
        case MismatchKind.RENAMED_KEY | MismatchKind.WRONG_TAG_KEY:
            return f"{quoted(mismatch.key)} was sent instead of `{mismatch.instead}`"
        case MismatchKind.UNKNOWN_KEY:
            return f"`{mismatch.key}` was sent with the outcome `cancelled`"
        case MismatchKind.UNKNOWN_TAG:
            return f"{text_of(step, mismatch)} is not an outcome"
        case _:
            return f"{subject(mismatch)} is {sort_of(mismatch)}"
