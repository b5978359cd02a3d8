"""Permission is asked while somebody waits for the work."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import LOST_PROMPTS, is_lost_prompt, named
from acp_spy.lint.rules.lifecycle._opening import PERMISSION, SESSION
from acp_spy.wire.jsonrpc import Request


@rule(
    code="LIF116",
    name="permission-outside-turn",
    severity=Severity.WARNING,
    summary="Permission was asked while no prompt was open",
    on=("request:session/request_permission", *LOST_PROMPTS),
    covers=("PER-09",),
    spec="https://agentclientprotocol.com/protocol/prompt-turn",
    bad=SESSION
    + """
        <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "Run the tests"}}}
        <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s1", "toolCall": {"toolCallId": "call_1"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]}}
""",
    good=PERMISSION,
)
def permission_outside_turn(step: Step, prompted: dict[Any, Any]) -> Iterator[Remark]:
    """
    Tools run within a turn: after the client's `session/prompt`, before the agent's answer to it.
    That is when permission is asked.

    Outside a turn many clients have no place to show the question. It is never answered, or it is
    answered `cancelled`, since nothing is running. After the end of a turn the user cannot cancel
    it either: there is no prompt left to cancel.

    Ask before you answer the prompt, and answer the prompt only when the work is done.
    After a prompt in a broken frame nothing is said here.
    """
    if is_lost_prompt(step):
        for name in named(step, "sessionId"):
            remember(prompted, name, step.frame.t)
    if not isinstance(step.message, Request):
        return
    session = step.session
    if session is None or session.turns or session.how in ("used", "listed", "subagent"):
        return
    if step.state.version == 2 or session.closed:
        return
    if prompted.get(session.id, -1.0) >= (session.last_turn_end or 0.0):
        return
    yield Remark(
        f"permission asked in `{session.id}` while no prompt was open there",
        at="/params/sessionId",
        hint="ask within a turn, before the answer to `session/prompt`",
    )
