"""Permission is requested, and answered, during a turn."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle._lost_frames import LOST_PROMPTS, is_lost_prompt, named
from acp_spy.lint.rules.lifecycle._opening import PERMISSION, SESSION
from acp_spy.protocol import events as ev
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request
from acp_spy.wire.values import fields, items


@rule(
    code="LIF116",
    name="permission-outside-turn",
    severity=Severity.WARNING,
    summary="Permission was requested, or was still pending, outside a turn",
    on=("request:session/request_permission", "TurnEnded", *LOST_PROMPTS),
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
    ## What it does

    Reports a permission request while no `session/prompt` is pending in the session, and a turn
    that ends while one of its permission requests is pending, unless it was cancelled. After a
    prompt in a broken frame nothing is reported.

    ## Why it matters

    Outside a turn many clients cannot show the request. They never answer it, or answer
    `cancelled`, and the user has no prompt to cancel.

    ## Use instead

    Request permission before you answer the prompt. Answer the prompt when the work is done.
    """
    if is_lost_prompt(step):
        for name in named(step, "sessionId"):
            remember(prompted, name, step.frame.t)
    session = step.session
    if isinstance(step.event, ev.TurnEnded):
        yield from _pending_at_end(step)
    if not isinstance(step.message, Request):
        return
    if session is None or session.turns or session.how in ("used", "listed", "subagent"):
        return
    if step.state.version == 2 or session.closed:
        return
    if prompted.get(session.id, -1.0) >= (session.last_turn_end or 0.0):
        return
    yield Remark(
        f"permission was requested in session `{session.id}` while no prompt was pending;"
        " expected it during a turn",
        at="/params/sessionId",
        hint="request permission before the response to `session/prompt`",
    )


def _pending_at_end(step: Step) -> Iterator[Remark]:
    """Give the permission request that the turn did not wait for, if it was not cancelled."""
    prompt, turns = step.exchange, step.session.turns if step.session else ()
    if prompt is None or prompt.cancelled_at is not None or len(turns) > 1:
        return
    if any(turn.cancelled_at is not None for turn in turns):
        return
    for asked in step.state.pending.about("session/request_permission", prompt.session):
        if asked.sender is Peer.CLIENT or asked.seq < prompt.seq or asked.cancelled_at is not None:
            continue
        if items(fields(asked.params).get("options")):  # LIF113 reports that there are none
            yield Remark(
                "the turn ended while `session/request_permission` was pending; expected its"
                " response first",
                see=asked.seq,
                hint="wait for the response, or withdraw the request with `$/cancel_request`",
            )
            return
