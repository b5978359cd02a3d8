"""Version 2: an accepted prompt appears in the conversation."""

from collections.abc import Iterator
from typing import Any

from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.lifecycle.version_2._common import name_of_session, update_of
from acp_spy.lint.rules.lifecycle.version_2._examples import (
    ACCEPTED,
    ECHO,
    END,
    IDLE,
    PROMPT,
    RUNNING,
    SESSION,
    transcript,
)
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields


@rule(
    code="LIF204",
    name="user-message-not-echoed",
    severity=Severity.ERROR,
    summary="An accepted prompt was not echoed as a user message",
    on=(
        "result:session/prompt",
        "update:user_message",
        "update:user_message_chunk",
        "update:state_update",
        "end",
    ),
    version=2,
    covers=("V2-06",),
    spec="https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#2-prompt-accepted",
    bad=transcript(SESSION, PROMPT, ACCEPTED, RUNNING, IDLE, END),
    good=transcript(SESSION, PROMPT, ACCEPTED, ECHO, RUNNING, IDLE, END),
)
def user_message_not_echoed(moment: Step | Ending, memory: dict[Any, Any]) -> Iterator[Remark]:
    """
    ## What it does

    In version 2, reports an accepted prompt without a `user_message` or `user_message_chunk` that
    has the `messageId` of the response. The echo may come before or after the response.

    ## Why it matters

    A client that shows only the updates of the agent never shows the message of the user.

    ## Use instead

    Send the message as `user_message` with the same `messageId`.
    """
    waiting = memory.setdefault("waiting", {})  # (session, message) -> [frame, began, ended]
    if isinstance(moment, Ending):
        if not moment.cut_off:
            yield from (_remark(key, seq) for key, (seq, _, ended) in waiting.items() if ended)
    else:
        update, session = update_of(moment), name_of_session(moment)
        if update.get("sessionUpdate") == "state_update":
            yield from _at_state(session, update.get("state"), waiting)
        else:
            source = fields(moment.body) if moment.exchange else update
            _at_message(session, source.get("messageId"), moment, memory)


def _at_message(session: str, message: Any, step: Step, memory: dict[Any, Any]) -> None:
    """Record that a message was accepted or echoed; the second of the two settles it."""
    key, echoed = (session, message), memory.setdefault("echoed", {})
    if not isinstance(message, str):
        return
    if step.exchange is None:
        if memory["waiting"].pop(key, None) is None:
            remember(echoed, key, True)
    elif not echoed.pop(key, False):
        remember(memory["waiting"], key, [step.frame.seq, False, False])


def _at_state(session: str, state: Any, waiting: dict[Any, Any]) -> Iterator[Remark]:
    for key in [key for key in waiting if key[0] == session]:
        entry = waiting[key]
        if state == "running":
            entry[1] = True
        elif state == "idle" and entry[1]:
            yield _remark(key, waiting.pop(key)[0])
        elif state == "idle":
            entry[2] = True


def _remark(key: tuple[str, str], seq: int) -> Remark:
    return Remark(
        f"the prompt was accepted as message `{key[1]}`, but not echoed;"
        " expected `user_message` with that id",
        at="/result/messageId",
        on=seq,
        blame=Peer.AGENT,
        hint="send `user_message` with the same `messageId`",
    )
