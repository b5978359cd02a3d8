"""The list of work in the background, as a `state_update` carries it."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.rules.lifecycle.version_2._common import update_of
from acp_spy.wire.values import fields, items

Item = tuple[str, str]  # the key of its id, and the id

SORTS = {"toolCallId": "tool call", "terminalId": "terminal", "sessionId": "subagent"}
_KEYS = {"tool_call": "toolCallId", "terminal": "terminalId", "subagent": "sessionId"}


def listed(step: Step) -> Iterator[tuple[int, Item]]:
    """Yield each item of a known sort, with its place in the list."""
    for index, entry in enumerate(items(update_of(step).get("background"))):
        sort = fields(entry).get("type")
        key = _KEYS.get(sort, "") if isinstance(sort, str) else ""
        name = fields(entry).get(key)
        if isinstance(name, str):
            yield index, (key, name)


def called(item: Item) -> str:
    """Name an item as people do."""
    return f"{SORTS[item[0]]} `{item[1]}`"
