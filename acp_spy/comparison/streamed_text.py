"""Streamed text, joined: each text is one item from its first piece to its last."""

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.comparison.item import Item
from acp_spy.conversation.chunk import Chunk
from acp_spy.protocol.events import Event, Said
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields

Place = tuple[str | int, ...]
_GIST = 500
_DEEPEST = 20  # where a text is looked for
_Stream = tuple[str | None, Peer]


class _Run:
    """A text that may go on."""

    def __init__(self, item: Item, place: Place, frame_of_text: bytes) -> None:
        self.item = item
        self.place = place
        self.rest = frame_of_text
        self.pieces: list[str] = []
        self.redacted = [*item.redacted]

    def add(self, text: str, seq: int, redacted: tuple[str, ...]) -> None:
        self.pieces.append(text)
        self.item.last = seq
        self.item.count = len(self.pieces)
        self.redacted += redacted

    def close(self) -> None:
        text = "".join(self.pieces)
        self.item.redacted = tuple(self.redacted)
        _put(self.item.body, self.place, text)
        self.item.gist = text[:_GIST]


class StreamedTexts:
    """The texts that are open: one for each session and sender."""

    def __init__(self) -> None:
        self._open: dict[_Stream, _Run] = {}
        self._rests: dict[tuple[str, str, Any], bytes] = {}

    def add_chunk(self, chunk: Chunk, what: str) -> Item | None:
        """Add a plain chunk; return the item that it begins, if it begins one."""
        frame, session, update = chunk.frame, chunk.session.id, chunk.run
        known = (session, update.name, update.message)
        rest = self._rests.get(known)
        run = self._open.get((session, frame.sender))
        if run is not None and rest is not None and run.rest == rest:
            run.add(chunk.text, frame.seq, frame.redacted)
            return None
        body: dict[str, Any] = {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": session,
                "update": {
                    "sessionUpdate": update.name,
                    "content": {"type": "text", "text": chunk.text},
                },
            },
        }
        if isinstance(update.message, str):
            body["params"]["update"]["messageId"] = update.message
        item = Item(frame.seq, frame.sender, what, "", ("text",), body)
        item.session, item.redacted = session, frame.redacted
        begins = self.add(item, ("params", "update", "content", "text"))
        if len(self._rests) < 10_000:
            self._rests[known] = self._open[session, frame.sender].rest
        return item if begins else None

    def add(self, item: Item, place: Place) -> bool:
        """Add the piece of text at `place` of an item; return whether the item begins a text."""
        text = _put(item.body, place, "")
        rest = msgspec.json.encode(item.body, order="deterministic")
        stream = (item.session, item.sender)
        run = self._open.get(stream)
        if run is not None and run.rest == rest:
            run.add(text, item.seq, item.redacted)
            return False
        self.end(*stream)
        item.label = ("text", item.what)
        run = self._open[stream] = _Run(item, place, rest)
        run.add(text, item.seq, ())
        return True

    def end(self, session: str | None, sender: Peer) -> None:
        """End the text of a session, if there is one."""
        if run := self._open.pop((session, sender), None):
            run.close()

    def close(self) -> None:
        """End them all."""
        for run in self._open.values():
            run.close()
        self._open.clear()


def text_place(event: Event | None, body: Any) -> Place:
    """Return where in a message its piece of streamed text is; nothing if it has none."""
    if not isinstance(event, Said):
        return ()
    content = event.content
    if isinstance(content, dict):
        if not isinstance(content.get("text"), str) or content.get("type") not in ("text", None):
            return ()
        found = next(_places(body, content), None)
        return (*found, "text") if found else ()
    return next(_places(body, content), ()) if isinstance(content, str) and content else ()


def _places(value: Any, wanted: Any, at: Place = ()) -> Iterator[Place]:
    if at and value == wanted:
        yield at
    elif len(at) < _DEEPEST:
        for key, item in fields(value).items():
            yield from _places(item, wanted, (*at, key))
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _places(item, wanted, (*at, index))


def _put(body: Any, place: Place, text: str) -> str:
    """Put `text` in its place; return what was there."""
    for step in place[:-1]:
        body = body[step]
    was = str(body[place[-1]])
    body[place[-1]] = text
    return was
