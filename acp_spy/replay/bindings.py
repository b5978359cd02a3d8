r"""
Recorded names and the live names for the same things, in both directions, one for one.

A name is bound at first sight, by its place: where the recorded message has `s-1` and the live one
has `sess_8f2`, they name the same thing from then on. What the played side makes up itself keeps
its recorded name. Substitution changes the tokens of the names and nothing else, so that
a frame in which nothing has to be replaced is sent byte for byte as it was recorded.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_spy.protocol.events import SessionAsked
from acp_spy.replay.folder_mapping import Folders, NewFolder
from acp_spy.replay.lanes import EVERYWHERE, Lanes
from acp_spy.replay.line import NOTIFICATION, REQUEST, Line
from acp_spy.replay.peer_names import is_distinctive, kind_of, paired_in_events, paired_names
from acp_spy.wire.json_text import Path, leaves, unescaped
from acp_spy.wire.jsonrpc import as_id
from acp_spy.wire.pointer import span

_LONGEST_NAME = 1024  # what is longer is no name
_MOST_NEEDLES = 64

Name = tuple[str, str]  # what it names, and the name


class Bindings:
    """The names of one play. What was learned from the last line can be taken back."""

    def __init__(self, *, map_folders: bool = True) -> None:
        self.folders = Folders()
        self.ids: dict[bytes, bytes] = {}  # of the live peer's requests, the latest of each
        self._map_folders = map_folders
        self._live: dict[Name, str] = {}
        self._recorded: dict[Name, str] = {}
        self._renamed: dict[str, str] = {}  # whatever is named: for fields whose name says nothing
        self._guesses: dict[Name, bool] = {}
        self._needles: dict[bytes, bool] = {}  # a frame without these has no name to replace
        # What was changed by the last line: where, by which key, and from what.
        self._changes: list[tuple[dict[Any, Any], Any, Any]] = []
        self._new_folders: list[NewFolder] = []
        self.version = 0  # what was translated with another version is out of date

    def bind(self, kind: str, recorded: str, live: str, *, is_guess: bool = False) -> bool:
        """
        Bind `live` to `recorded`; `False` if one of them is bound to another already.

        What was guessed gives way to what is known: an agent may send updates of a session before
        it has answered with its name, and which of two new ones that was shows only then.
        """
        if self._live.get((kind, recorded)) == live:
            if not is_guess and (kind, recorded) in self._guesses:
                self._set(self._guesses, (kind, recorded))
            return True
        if not is_guess:
            self._give_way(kind, recorded, live)
        if (kind, recorded) in self._live or (kind, live) in self._recorded:
            return False
        self._set(self._live, (kind, recorded), live)
        self._set(self._recorded, (kind, live), recorded)
        if is_guess:
            self._set(self._guesses, (kind, recorded), True)
        if recorded != live:
            if recorded not in self._renamed:
                self._set(self._renamed, recorded, live)
            # What can be spelled in several ways is looked for in every frame.
            self._needles[recorded.encode() if _is_plain(recorded) else b""] = True
        return True

    def _give_way(self, kind: str, recorded: str, live: str) -> None:
        """Forget what was guessed of either name, unless the live one has not come up yet."""
        owner = self._recorded.get((kind, live))
        if owner is None and kind != "session":
            return
        for guess in {(kind, recorded), (kind, owner or "")}:
            if guess in self._guesses:
                self._forget(*guess)

    def _forget(self, kind: str, recorded: str) -> None:
        live = self._live[kind, recorded]
        self._set(self._live, (kind, recorded))
        self._set(self._recorded, (kind, live))
        self._set(self._guesses, (kind, recorded))
        if self._renamed.get(recorded) == live:
            self._set(self._renamed, recorded)

    def _set(self, where: dict[Any, Any], key: Any, value: Any = None) -> None:
        """Change an entry, or without a value remove it, so that it can be taken back."""
        self.version += 1
        self._changes.append((where, key, where.get(key)))
        _put(where, key, value)

    def mint(self, kind: str, name: str) -> None:
        """
        Take note that the played side uses `name`, which is its own unless it was bound before.

        If the live peer has taken the very same name for something else, another is made up.
        """
        if (kind, name) in self._live:
            return
        fresh, number = name, 2
        while (kind, fresh) in self._recorded:
            fresh, number = f"{name}-{number}", number + 1
        self.bind(kind, name, fresh)

    def learn(self, recorded: Line, live: Line, lanes: Lanes = EVERYWHERE) -> None:
        """Bind the names that are in the same place of a recorded line and the live one for it."""
        self._changes.clear()
        self._new_folders.clear()
        if recorded.kind == REQUEST:
            self._set(self.ids, recorded.id, live.id)
        is_guess = recorded.kind == NOTIFICATION
        for kind, one, other in paired_in_events(recorded.event, live.event):
            self.bind(kind, one, other, is_guess=is_guess)
        for kind, one, other in paired_names(recorded.body, live.body):
            self.bind(kind, one, other, is_guess=is_guess)
        if self._map_folders:
            one, other = _folder(recorded), _folder(live)
            if one and other:
                self.version += 1
                self._new_folders += self.folders.bind(one, other, lanes)

    def unlearn(self) -> None:
        """Take back what was learned from the last line: it was not the recorded one after all."""
        self.version += 1
        self.folders.forget(self._new_folders)
        self._new_folders.clear()
        while self._changes:
            _put(*self._changes.pop())

    def recorded_session(self, live: str | None) -> str | None:
        """Return the recorded session that a live one is known to be."""
        return self._recorded.get(("session", live)) if live is not None else None

    def agree(self, recorded: str | None, live: str | None) -> bool:
        """Whether two sessions are the same one, or may become so."""
        if recorded is None or live is None:
            return recorded == live
        known = self._live.get(("session", recorded))
        owner = self.recorded_session(live)
        return known == live if known is not None else owner is None

    def translate(self, line: Line, ident: bytes = b"", *, own: bool = True) -> bytes:
        """
        Return the bytes of a recorded line with its names as the live peer knows them.

        `ident` replaces the id of an answer. `own` is whether the played side sends it.
        """
        text = line.raw[line.begins :]
        edits = list(self._edits(text, line, own=own))
        if ident and ident != line.id and (place := span(text, "/id")):
            edits.append((place.start, place.end, ident))
        text = _edited(text, edits) if edits else text
        return line.raw[: line.begins] + self.folders.replace(text, line.session)

    def _edits(self, text: bytes, line: Line, *, own: bool) -> Iterator[tuple[int, int, bytes]]:
        # A `$/cancel_request` names a request of its sender, anything else one of its receiver.
        ids = self.ids if own != (line.method == "$/cancel_request") else {}
        ids = ids if b'"requestId"' in text else {}
        if not ids and not self._may_hold_a_name(text):
            return
        for leaf in leaves(text):
            start, end = leaf.start - leaf.is_string, leaf.end + leaf.is_string  # with the quotes
            if leaf.is_name or end > len(text):  # the last string of a line may be torn
                continue
            if leaf.path == ["id"]:
                continue  # of the message: no name
            key = _key(leaf.path)
            if key == "requestId" and (live_id := ids.get(as_id(text[start:end]))):
                yield start, end, live_id
            elif leaf.is_string:
                live = self._name(text[leaf.start : leaf.end], key)
                if live is not None:
                    yield start, end, msgspec.json.encode(live)

    def _may_hold_a_name(self, text: bytes) -> bool:
        # Of many names it takes longer to look for each than to look at each string.
        needles = self._needles
        return len(needles) > _MOST_NEEDLES or any(needle in text for needle in needles)

    def _name(self, content: bytes, key: str) -> str | None:
        """Return the live name for a string, if it is one that has to be replaced."""
        if len(content) > _LONGEST_NAME:
            return None
        if (value := unescaped(content).decode(errors="replace")) not in self._renamed:
            return None
        if live := self._live.get((kind_of(key), value)):
            return live
        return self._renamed[value] if key == "id" or is_distinctive(value) else None


def _folder(line: Line) -> str:
    """Return the folder that a session is asked for in."""
    cwd = line.event.cwd if isinstance(line.event, SessionAsked) else None
    return cwd if isinstance(cwd, str) else ""


def _is_plain(name: str) -> bool:
    """Whether JSON has but one spelling for a name that anybody would use."""
    return name.isascii() and name.isprintable() and not set(name) & set("\"\\/<>&'")


def _key(path: Path) -> str:
    """Return the name of the field that holds a value, also in a list."""
    for step in reversed(path):
        if isinstance(step, str):
            return step
    return ""


def _put(where: dict[Any, Any], key: Any, value: Any) -> None:
    if value is None:
        where.pop(key, None)
    else:
        where[key] = value


def _edited(text: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Return `text` with each of these places replaced."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]])
