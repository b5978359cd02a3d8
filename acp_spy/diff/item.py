"""
What is compared: a frame, or the frames that stream one text, and what it says.

`content` is the message as JSON text, free of its id, with names marked and times and folders
written the same in every capture. Two items are alike if that is, whatever the names.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from acp_spy.wire.frame import Peer


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
