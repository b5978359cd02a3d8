"""
Frames in, items out: the pieces of one text are joined, and each item is put into its session.

A text goes on as long as its pieces differ in nothing but the text, and nothing comes between them
that a person would see: how many pieces there are is arbitrary.
"""

from typing import Any

import msgspec

from acp_spy.comparison.item import Item, ItemKeys, Side
from acp_spy.comparison.normalize import Normalizer
from acp_spy.comparison.streamed_text import StreamedTexts, text_place
from acp_spy.conversation.chunk import Chunk
from acp_spy.conversation.state import Step
from acp_spy.protocol import events as ev
from acp_spy.replay.lanes import find_lanes
from acp_spy.replay.line import ANSWERS, REQUEST, UNREADABLE, Line, read_line
from acp_spy.replay.peer_names import paired_in_events, paired_names
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import decoded

# Updates that do not end a text when they come in the middle of it.
_QUIET = (ev.OtherUpdate, ev.CommandsChanged, ev.ConfigChanged, ev.ModeChanged)
_GIST = 500


class ItemCollector:
    """Feed it what the tracker makes of each frame, in their order, then close it."""

    def __init__(self, cwd: str = "") -> None:
        self._items: list[Item] = []
        self._lines: list[tuple[Peer, Line]] = []
        self._texts = StreamedTexts()
        self._names: dict[str, str] = {}
        self._cwds: dict[int, str] = {}
        self._cwd = cwd  # where the agent was started
        self._methods: dict[tuple[Peer, bytes], str] = {}

    def add_chunk(self, chunk: Chunk, what: str) -> None:
        """Add a plain chunk of text."""
        item = self._texts.add_chunk(chunk, what)
        if item is not None:
            self._items.append(item)
            self._names[chunk.session.id] = "session"
            if isinstance(chunk.run.message, str):
                self._names.setdefault(chunk.run.message, "message")

    def add_frame(self, step: Step, what: str, gist: str, seconds: float | None = None) -> None:
        """Add any other frame, with its name and its gist in words, and how long it took."""
        frame, line = step.frame, read_line(step)
        meaning = step.inner or step  # to or from a proxy's successor: what is wrapped
        item = Item(frame.seq, frame.sender, what, gist[:_GIST], (line.kind,))
        item.last, item.redacted, item.seconds = frame.seq, frame.redacted, seconds
        self._lines.append((frame.sender, _light(line)))
        if line.kind == UNREADABLE:
            item.is_noise = True
            item.body = frame.payload.decode(errors="backslashreplace")
            self._items.append(item)
            return
        item.session = line.session
        item.body = self._body(step, line)
        item.label = _label(line, what)
        item.own_names = self._learn(meaning)
        event = meaning.event
        if isinstance(event, ev.SessionAsked) and isinstance(event.cwd, str):
            self._cwds[frame.seq] = event.cwd
        place = text_place(event, item.body)
        if place:
            if self._texts.add(item, place):
                self._items.append(item)
            return
        if not isinstance(event, _QUIET):
            self._texts.end(item.session, item.sender)
        self._items.append(item)

    def _learn(self, step: Step) -> dict[str, str]:
        """Note the names in a message; return those that only its event shows."""
        try:
            keyed = {name: kind for kind, name, _ in paired_names(step.body, step.body)}
        except RecursionError:
            keyed = {}
        in_event = {name: kind for kind, name, _ in paired_in_events(step.event, step.event)}
        for name, kind in {**in_event, **keyed}.items():
            self._names.setdefault(name, kind)
        return {name: kind for name, kind in in_event.items() if name and name not in keyed}

    def close(self) -> Side:
        """Return all that was said."""
        self._texts.close()
        lanes = find_lanes(self._lines)
        known: dict[str, int] = {}  # in which place each session came up
        for item in self._items:
            if item.label[0] != "text":  # whose session is certain
                mine = () if item.is_noise else lanes.get(item.seq, ())
                for session in sorted(mine):
                    known.setdefault(session, len(known))
                item.session = min(mine, key=known.__getitem__, default=None)
            elif item.session is not None:
                known.setdefault(item.session, len(known))
        folders: dict[str | None, str] = {}
        for item in self._items:
            if item.seq in self._cwds:
                folders.setdefault(item.session, self._cwds[item.seq])
        self._normalize(Normalizer(self._names, folders, self._cwd))
        return Side(tuple(self._items), tuple(known), self._names, folders, self._cwd)

    def _normalize(self, normalizer: Normalizer) -> None:
        keys = ItemKeys()
        for item in self._items:
            try:
                item.content = normalizer.message(item.body, item.session, item.own_names)
            except RecursionError:
                item.content = normalizer.message(repr(item.body), item.session, {})
            keys.give(item)
            item.body = None

    def _body(self, step: Step, line: Line) -> Any:
        """Return the message without its id, and what is glued to it."""
        meaning = step.inner or step
        raw = meaning.frame.payload[meaning.glued_at :]
        body = decoded(raw)
        if not isinstance(body, dict):
            return raw.decode(errors="backslashreplace")  # too deep, or a number without end
        body.pop("id", None)
        if line.kind == REQUEST:
            self._methods[step.frame.sender, line.id] = line.method
        params = body.get("params")
        if isinstance(params, dict) and "requestId" in params:
            # A `$/cancel_request` names a request of its sender, anything else one of its receiver.
            own = line.method == "$/cancel_request"
            asker = step.frame.sender if own else step.frame.sender.other
            ident = msgspec.json.encode(params["requestId"])
            method = self._methods.get((asker, ident))
            params["requestId"] = f"<request {method}>" if method else params["requestId"]
        if step.glued_at:
            glued = step.frame.payload[: step.glued_at]
            body["(before the message)"] = glued.decode(errors="backslashreplace")
        return body


def _light(line: Line) -> Line:
    """Return as much of a line as its lane depends on: lines are kept until the end."""
    body = line.body if line.method == "$/cancel_request" else None
    return msgspec.structs.replace(line, raw=b"", body=body, event=None, question=None)


def _label(line: Line, what: str) -> tuple[str, ...]:
    return ("answer", line.method) if line.kind in ANSWERS else (line.kind, line.method, what)
