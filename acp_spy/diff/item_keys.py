"""
The key by which an item is recognized in the other capture: its content, free of names.

A session is a session. Any other name is identified by what introduced it: the tool call that was
first called `Read a.txt`, not the third one. So one more tool call does not change those after it.
"""

import msgspec

from acp_spy.diff.item import Item
from acp_spy.diff.name_marks import Name, marked, replace_marks
from acp_spy.wire.values import fields

# Fields that identify one of several things of the same kind.
_IDENTIFYING = (
    "status",
    "title",
    "kind",
    "path",
    "command",
    "toolCallId",
    "terminalId",
    "currentModeId",
)

_Scope = tuple[str | None, str, str]


class ItemKeys:
    """Gives the items of one capture their keys, in their order."""

    def __init__(self) -> None:
        self._tags: dict[_Scope, str] = {}
        self._counts: dict[tuple[str | None, int], int] = {}

    def give(self, item: Item) -> None:
        """Set `key` and `detail` of an item."""
        fresh = [
            name
            for name in dict.fromkeys(marked(item.content))
            if scope_of(item.session, name) not in self._tags
        ]

        def tag(name: Name) -> str:
            return self._tags.get(scope_of(item.session, name), name[0])

        item.key = hash((item.label, replace_marks(item.content, tag)))
        identifying = _identifying(item.content) if item.label[0] != "text" else ""
        item.detail = hash((item.label, replace_marks(identifying, tag)))
        times = self._counts[item.session, item.key] = (
            self._counts.get((item.session, item.key), 0) + 1
        )
        for number, name in enumerate(fresh):
            introduced = f"{name[0]} {item.key} {times} {number}"
            is_session = name[0] == "session"
            self._tags[scope_of(item.session, name)] = name[0] if is_session else introduced


def scope_of(session: str | None, name: Name) -> _Scope:
    """Return where a name is one and the same thing: in its session, or everywhere."""
    kind, spelled = name
    in_session = kind in ("tool call", "terminal", "message")
    return (session if in_session else None, kind, spelled)


def _identifying(content: str) -> str:
    message = msgspec.json.decode(content)
    params = fields(fields(message).get("params"))
    values = fields(params.get("update")) or fields(params.get("toolCall")) or params
    return repr([values[name] for name in _IDENTIFYING if isinstance(values.get(name), str)])
