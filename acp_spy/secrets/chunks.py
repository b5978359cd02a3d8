"""
Of which texts has a message a piece: of what an agent says, or of what a terminal prints?

Only its fields say that: the same words may be in the title of a tool call, or in what a
program prints.
"""

from collections.abc import Iterable

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.message_names import (
    AS_CHUNK,
    KINDS,
    MAY_BE_WHOLE,
    MESSAGE_IDS,
    PIECES,
    SAID_BY_PERSON,
    SESSION_IDS,
    TERMINAL_IDS,
    TOOL_CALL_IDS,
)
from acp_spy.wire.json_text import Leaf, Path
from acp_spy.wire.pointer import spell

Key = tuple[str, ...]

# agent_message_chunk, streamAssistantMessageChunk, and output of a terminal in `_meta`; names of
# `PIECES`, but not of a member.
MAY_BE_CHUNK = expression(rb"hunk\"|terminal_output|elta\"|(?:message|thought)(?:_text)?\"(?!\s*:)")
_KIND = expression(rb"\w+hunk")
_BESIDE = frozenset(("_meta", "rawInput", "rawOutput"))  # in them is nothing of the protocol
_SAID = frozenset(("text", "chunk", "thought", "content"))
_PRINTED = expression(r"data|partial_json|(?:\w*[_a-z])?[dD]elta")
_IDS = frozenset((*SESSION_IDS, *TOOL_CALL_IDS, *TERMINAL_IDS))
_PARENTS = frozenset(("parentToolUseId", "parent_tool_use_id"))  # of what a part of the agent says
_PIECES = frozenset(map(str.encode, PIECES))
_IN_BASE64 = "terminal_output_chunk"  # of version 2
NAMES_OF_IDS = _IDS | _PARENTS | frozenset(MESSAGE_IDS)
_MOST_IDS = 32  # beside a text
DEEPEST = 128  # steps of a path; to spell longer ones of many texts takes a square


class Chunk(msgspec.Struct, frozen=True):
    """What is known about the piece of a text: of which it is, and its place in the message."""

    key: Key  # what all of its pieces have in common
    message: str  # which of those that come in turn, if it says so
    pointer: str
    is_said: bool  # and not printed: then there is nothing else in the message
    session: Key  # the ids in which it is said: also of the part of the agent
    is_of_person: bool  # who said it
    is_in_base64: bool = False  # as the output of a terminal may be
    may_be_whole: bool = False  # and not a piece
    is_restart: bool = False  # it replaces the text; chunks may follow


class TextIds:
    """The ids in a message, from which to say of what a text in it is: a session, a tool call."""

    def __init__(self) -> None:
        self._ids: list[tuple[Path, str]] = []
        self._parents: list[str] = []
        self.messages: list[str] = []

    def take(self, path: Path, value: bytes) -> None:
        """Take note of a string with the name of an id."""
        name, ident = path[-1], value.decode(errors="replace")
        if name not in _IDS:
            (self._parents if name in _PARENTS else self.messages).append(ident)
        elif not self._ids[_MOST_IDS - 1 :]:
            self._ids.append((path[:-1], ident))

    def of(self, path: Path, *, is_said: bool = False) -> Key:
        """
        Return the ids beside a text, and around it.

        Others are in some of its pieces only: the last of a terminal says that it has exited.
        """
        ids = [value for around, value in self._ids if path[: len(around)] == around]
        return (*ids, *self._parents[:_MOST_IDS]) if is_said else tuple(ids)


def chunks_in(sender: str, raw: bytes, its_leaves: Iterable[Leaf]) -> list[tuple[Chunk, int, int]]:
    """Return the pieces of texts that a message has, and where in its line each begins and ends."""
    kind, is_of_person = "", False
    ids = TextIds()
    places: list[tuple[bool, Path, int, int]] = []
    for leaf in its_leaves:
        if leaf.is_name or not leaf.is_string or not leaf.path or leaf.path[DEEPEST:]:
            continue
        name = str(leaf.path[-1])
        value = raw[leaf.start : leaf.end]
        is_printed = bool(_PRINTED.fullmatch(name))
        if is_printed or name in _SAID:
            places.append((is_printed, [*leaf.path], leaf.start, leaf.end))
        elif name in NAMES_OF_IDS:
            ids.take(leaf.path, value)
        elif name == "role":
            is_of_person = is_of_person or value == b"user"
        elif (
            name in KINDS
            and _BESIDE.isdisjoint(leaf.path)
            and (_KIND.fullmatch(value) or (value in _PIECES and leaf.path[-2:-1] == ["update"]))
        ):
            kind = value.decode(errors="replace")
    is_of_person = is_of_person or kind in SAID_BY_PERSON
    is_said, message = bool(kind), " ".join(ids.messages)
    found = []
    for is_printed, path, start, end in places:
        if is_said or is_printed:
            place = spell(*(step for step in path if isinstance(step, str)))
            session = ids.of(path, is_said=is_said)
            key = (sender, AS_CHUNK.get(kind, kind), place, *session)
            in_base64 = kind == _IN_BASE64 and path[-1] == "data"
            chunk = Chunk(
                *(key, message, spell(*path), is_said, session, is_of_person),
                is_in_base64=in_base64,
                may_be_whole=kind in MAY_BE_WHOLE,
                # In version 2 it has an id, and a list of blocks, each of which is one.
                is_restart=kind in AS_CHUNK and bool(message) and isinstance(path[-2], int),
            )
            found.append((chunk, start, end))
    return found
