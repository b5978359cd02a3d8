"""The list of background work in a `state_update`."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.wire.values import fields, items

Item = tuple[str, str]  # the key of its id, and the id

KINDS = {"toolCallId": "tool call", "terminalId": "terminal", "sessionId": "subagent"}
_KEYS = {"tool_call": "toolCallId", "terminal": "terminalId", "subagent": "sessionId"}


def listed(step: Step) -> Iterator[tuple[int, Item]]:
    """Yield each item of a known type, with its index in the list."""
    for index, entry in enumerate(items(update_of(step).get("background"))):
        kind = fields(entry).get("type")
        key = _KEYS.get(kind, "") if isinstance(kind, str) else ""
        name = fields(entry).get(key)
        if isinstance(name, str):
            yield index, (key, name)


def described(item: Item) -> str:
    """Return the type and id of an item, for a message."""
    return f"{KINDS[item[0]]} `{item[1]}`"
