"""A stage next to a peer that speaks a dialect: beyond it, everything is official ACP."""

import os
from collections.abc import Sequence
from typing import Any

from acp_spy.dialect.known import translated
from acp_spy.middleware.dialects.known import find
from acp_spy.middleware.dialects.translation import Message
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.pipeline import Stage
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.values import decoded

_TOO_DEEP = "a message is nested too deeply: it passes as it is"
_MOST_NOTES = 16  # with each line that was made of one message
_AT_THE_END = 4.0  # seconds for a response, when the peer that speaks the dialect has ended


class DialectStage(Stage):
    """
    Translates for the peer `side`, which speaks the dialect `name`.

    It belongs next to that peer: the context follows what comes out of it, so that all other stages
    see official messages.
    """

    def __init__(self, side: Peer, name: str) -> None:
        super().__init__()
        self.name = f"dialect {name}"
        self.remark = f"{translated(side, name)}, translated"
        self._side = self.leads_context = side
        self._translation = find(name)(side, os.getcwd(), self.pipeline.context.state)
        self._held: list[tuple[Held, Message]] = []
        self._told: set[str] = set()
        self._is_over = False  # the peer has ended

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Translate the line if it is a message."""
        message = decoded(line.raw)
        if not isinstance(message, dict):
            return self._followed(line, [line])
        translation = self._translation
        translation.state = self.pipeline.context.state
        translation.make_room(len(line.raw))
        is_official = line.to is self._side
        if not is_official and "method" in message and not self._is_ready(message):
            before = self._lines(line, None)
            held = Held(line, self.name)
            self._held.append((held, message))
            return [*before, held]
        lines = self._translated(line, message, is_official=is_official)
        if self._held:  # its peer has sent this line first, and the capture is to say so
            self.pipeline.afterwards(self, self._release)
        return lines

    def take_end(self, sender: Peer) -> None:
        """Wait no longer than some seconds, or the other peer would never see the end."""
        if sender is self._side:
            self._is_over = True
            self.begin()

    def begin(self) -> None:
        """Wait no longer than that, if the end came before tasks could be started."""
        if self._is_over and self._held:
            self.pipeline.start(self, self._give_up)

    async def _give_up(self) -> None:
        if self.pipeline.sleep:
            await self.pipeline.sleep(_AT_THE_END)
        waited, self._held = self._held, []
        for held, _ in waited:
            held.release(held.line)

    def end(self) -> None:
        """Let go of what is held, as it is."""
        self._held.clear()

    def _is_ready(self, message: Message) -> bool:
        return not self._held and self._translation.is_ready(message)

    def _release(self) -> None:
        """Translate what has waited, if it need not wait any more."""
        while self._held:
            held, message = self._held[0]
            if not self._translation.is_ready(message):
                for line in self._lines(held.line, None):
                    self.pipeline.put(self, line)
                return
            self._held.pop(0)
            self._translation.make_room(len(held.line.raw))  # others have come and gone meanwhile
            held.release(*self._translated(held.line, message, is_official=False))

    def _translated(self, line: Line, message: Message, *, is_official: bool) -> list[Line]:
        try:
            self._translation.take(message, is_official=is_official)
        except RecursionError:  # it has nearly too many levels, and what is made of it has more
            self._translation.out.clear()
            self._tell([*self._translation.notes, _TOO_DEEP])
            self._translation.notes.clear()
            return self._followed(line, [line])
        return self._lines(line, message)

    def _lines(self, line: Line, message: Message | None) -> list[Line]:
        """Return what the translation has made of a line; `message` is what the line says."""
        translation = self._translation
        out, translation.out = translation.out, []
        notes, translation.notes = [*dict.fromkeys(translation.notes)], []
        self._tell(notes)
        if (more := len(notes) - _MOST_NOTES) > 0:
            notes[_MOST_NOTES:] = [f"and {more} more"]
        earlier = [line.by] if line.by and message is not None else []
        by = "; ".join([*earlier, self.name, *notes])
        lines: list[Line] = []
        is_there = message is None  # something in the place of the line
        for to_official, made, raw in out:
            to = self._side.other if to_official else self._side
            if to is line.to and not is_there:
                lines.append(line if made == message else line.replaced(raw, by))
                is_there = True
            elif (
                to is not line.to
                and not is_there
                and "method" not in made
                and _answers(made, message)
            ):
                lines.append(line.answered(raw, by))
                is_there = True
            else:
                lines.append(line.injected(to, raw, by))
        if not is_there:
            lines.append(line.dropped(by))
        return self._followed(line, lines)

    def _tell(self, notes: list[str]) -> None:
        """Say once what was left out or changed."""
        for words in notes:
            if words not in self._told:
                self._told.add(words)
                self.pipeline.complain(f"{self.name}: {words}")

    def _followed(self, line: Line, lines: list[Line]) -> list[Line]:
        """Show the context what goes on to the official peer."""
        sent = line.frame
        for each in lines:
            if each.to is not self._side and each.raw:
                frame = Frame(sent.seq, sent.t, self._side, each.raw, via=sent.via)
                self.pipeline.context.follow(frame)
        return lines


def _answers(made: Message, message: Any) -> bool:
    """Whether one is the response to the other."""
    is_asked = "method" in message and "id" in message
    return is_asked and "method" not in made and made.get("id") == message["id"]
