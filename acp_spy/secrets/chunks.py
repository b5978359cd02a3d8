"""
Of which texts has a message a piece: of what an agent says, or of what a terminal prints?

Only its fields say that: the same words may be in the title of a tool call, or in what a
program prints.
"""

from collections.abc import Iterable

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.wire.json_text import Leaf
from acp_spy.wire.pointer import spell

Key = tuple[str, ...]

# agent_message_chunk, streamAssistantMessageChunk, and output of a terminal in `_meta`.
MAY_BE_CHUNK = expression(rb"hunk\"|terminal_output|elta\"")
_KINDS = frozenset(("sessionUpdate", "session_update", "update", "type", "kind", "method"))
_KIND = expression(rb"\w+hunk")
_BESIDE = frozenset(("_meta", "rawInput", "rawOutput"))  # in them is nothing of the protocol
_SAID = frozenset(("text", "chunk", "thought", "content"))
_PRINTED = expression(r"data|partial_json|(?:\w*[_a-z])?[dD]elta")
TEXT_IDS = frozenset(
    (
        *("sessionId", "threadId", "terminal_id", "terminalId", "toolCallId"),
        *("parentToolUseId", "parent_tool_use_id"),  # of what a part of the agent says
    )
)
_MESSAGE_IDS = frozenset(("messageId", "message_id"))  # which some chunks of it may lack


class Chunk(msgspec.Struct, frozen=True):
    """What is known about the piece of a text: of which it is, and its place in the message."""

    key: Key  # what all of its pieces have in common
    message: str  # which of those that come in turn, if it says so
    pointer: str
    is_said: bool  # and not printed: then there is nothing else in the message


def chunks_in(sender: str, raw: bytes, its_leaves: Iterable[Leaf]) -> list[tuple[Chunk, int, int]]:
    """Return the pieces of texts that a message has, and where in its line each begins and ends."""
    kind = ""
    texts: list[str] = []
    messages: list[str] = []
    places: list[tuple[bool, str, str, int, int]] = []
    for leaf in its_leaves:
        if leaf.is_name or not leaf.is_string or not leaf.path:
            continue
        name = str(leaf.path[-1])
        value = raw[leaf.start : leaf.end]
        is_printed = bool(_PRINTED.fullmatch(name))
        if is_printed or name in _SAID:
            steps = [step for step in leaf.path if isinstance(step, str)]
            places.append((is_printed, spell(*steps), spell(*leaf.path), leaf.start, leaf.end))
        elif name in TEXT_IDS:
            texts.append(value.decode(errors="replace"))
        elif name in _MESSAGE_IDS:
            messages.append(value.decode(errors="replace"))
        elif name in _KINDS and _BESIDE.isdisjoint(leaf.path) and _KIND.fullmatch(value):
            kind = value.decode(errors="replace")
    key = (sender, " ".join(texts), kind)
    message = " ".join(messages)
    return [
        (Chunk((*key, place), message, pointer, is_said=bool(kind)), start, end)
        for is_printed, place, pointer, start, end in places
        if kind or is_printed
    ]
