"""
What is compared: a frame, or the frames that stream one text, what it says, and its key.

`content` is the message as JSON text, free of its id, with names marked and times and folders
written the same in every capture. Two items are alike if that is, whatever the names.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from acp_spy.comparison.name_marks import Name, Scope, marked, replace_marks, scope_of
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

# Fields that identify one of several things of the same kind.
_IDENTIFYING = (
    *("status", "title", "kind", "path", "command"),
    *("toolCallId", "terminalId", "currentModeId"),
)


class Item(msgspec.Struct):
    """
    One thing that a peer said.

    `seq` and `last` are its first and last frame, `count` is how many there are. `label` is what
    kind of thing it is, `detail` says more; items of one label can be the same one, changed.
    """

    seq: int
    sender: Peer
    what: str
    gist: str
    label: tuple[str, ...]
    body: Any = None  # until it is normalized
    count: int = 1
    last: int = 0
    seconds: float | None = None  # that a response, or the tool call that ends here, took
    session: str | None = None
    is_noise: bool = False
    redacted: tuple[str, ...] = ()
    own_names: Mapping[str, str] = {}  # known from the event, wherever they are in the message
    content: str = ""
    key: int = 0
    detail: int = 0


class Side(msgspec.Struct, frozen=True):
    """One of the two captures: all that was said in it, and the names that were used."""

    items: tuple[Item, ...]
    sessions: tuple[str, ...]  # in the order of their first item
    names: Mapping[str, str]  # what each name names
    folders: Mapping[str | None, str]  # in which each session works
    cwd: str = ""  # where the agent was started


class ItemKeys:
    """
    Gives the items of one capture their keys, in their order: their content, free of names.

    A session is a session. Any other name is identified by what introduced it: the tool call that
    was first called `Read a.txt`, not the third one. So one more tool call does not change those
    after it.
    """

    def __init__(self) -> None:
        self._tags: dict[Scope, str] = {}
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


def _identifying(content: str) -> str:
    message = msgspec.json.decode(content)
    params = fields(fields(message).get("params"))
    values = fields(params.get("update")) or fields(params.get("toolCall")) or params
    return repr([values[name] for name in _IDENTIFYING if isinstance(values.get(name), str)])
