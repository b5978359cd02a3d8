"""A frame cut down to the place that a finding is about, and what surrounds it."""

import msgspec

from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Unreadable, find_glued, read_message
from acp_spy.wire.pointer import nearest_span

# More than any terminal shows, and little enough to keep for each of a thousand mistakes.
_ENOUGH = 1000


class Excerpt(msgspec.Struct, frozen=True):
    """
    A part of a frame, as text: the place, what is before it, and what follows.

    The text is as it was sent: a renderer must not let it act.
    """

    t: float
    sender: Peer
    before: str
    place: str = ""
    after: str = ""


def excerpt(frame: Frame, pointer: str = "") -> Excerpt:
    """Cut `frame` around the place of `pointer`; no place when that is the message itself."""
    payload = frame.payload
    marked = _marked(payload, pointer)
    if marked is None:
        return Excerpt(frame.t, frame.sender, _head(payload))
    start, end = marked
    return Excerpt(
        frame.t,
        frame.sender,
        before=_tail(payload[:start]),
        place=_head(payload[start:end]),
        after=_head(payload[end:]),
    )


def _marked(payload: bytes, pointer: str) -> tuple[int, int] | None:
    """
    Return the bytes to mark: a member with its name, or of a large one only the name.

    In a frame with something in front of its message the pointer begins at the message.
    """
    if not pointer:
        return None
    offset = 0
    if isinstance(read_message(payload), Unreadable) and (glued := find_glued(payload)):
        offset = glued[0]
    found = nearest_span(payload[offset:], pointer)
    if found is None:
        return None
    is_large = payload[offset + found.start : offset + found.start + 1] in (b"{", b"[")
    start, end = found.start, found.start + 1 if is_large else found.end
    if found.name:
        start, end = found.name[0], found.name[1] if is_large else found.end
    return offset + start, offset + end


def _head(data: bytes) -> str:
    return _text(data[:_ENOUGH]) + ("…" if len(data) > _ENOUGH else "")


def _tail(data: bytes) -> str:
    return ("…" if len(data) > _ENOUGH else "") + _text(data[-_ENOUGH:])


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")
