"""
The ids in a frame that could not be parsed.

A tool call that was announced in a broken frame counts as announced: the broken frame is reported,
and updates of that tool call are not a second mistake.
"""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Notification, Unreadable

_MOST_BYTES = 65_536
_IDS = {
    "sessionId": re.compile(rb'"session_?id"\s*:\s*"([^"\\]{1,200})"', re.IGNORECASE),
    "terminalId": re.compile(rb'"terminal_?id"\s*:\s*"([^"\\]{1,200})"', re.IGNORECASE),
    "toolCallId": re.compile(rb'"tool_?call_?id"\s*:\s*"([^"\\]{1,200})"', re.IGNORECASE),
}

LOST_PROMPTS = ("lost", "notification:session/prompt")


def named(step: Step, key: str) -> Iterator[str]:
    """Yield the values of `key`, in any case, in the bytes of a frame."""
    for found in _IDS[key].finditer(step.frame.raw[:_MOST_BYTES]):
        yield found[1].decode(errors="replace")


def is_lost_prompt(step: Step) -> bool:
    """Return whether this may be a prompt that opened no turn."""
    if step.frame.sender is not Peer.CLIENT:
        return False
    is_notice = isinstance(step.message, Notification) and step.method == "session/prompt"
    return is_notice or isinstance(step.message, Unreadable)


def is_lost_update(step: Step, facts: Facts) -> bool:
    """Return whether this may be an update of a tool call that could not be read as one."""
    if not facts.mismatches and not facts.may_be_lost:
        return False  # nearly all
    if isinstance(step.message, Unreadable):
        return step.frame.sender is Peer.AGENT
    if not isinstance(step.message, Notification) or step.method != "session/update":
        return False
    body = step.body if type(step.body) is dict else {}
    update = body.get("update")
    return not (
        type(update) is dict
        and type(body.get("sessionId")) is str
        and type(update.get("toolCallId")) is str
        and update.get("sessionUpdate") in ("tool_call", "tool_call_update")
    )
