r"""
Recorded names and the live ones that they stand for, in both directions, one for one.

A name is bound at first sight, by its place: where the recorded message has `s-1` and the live one
has `sess_8f2`, the one stands for the other from then on. What the played side makes up itself
keeps its recorded name. Substitution changes the tokens of the names and nothing else, so that
a frame in which nothing has to be replaced is sent byte for byte as it was recorded.
"""

import re
from collections.abc import Iterator

import msgspec

from acp_spy.protocol.events import SessionAsked
from acp_spy.replay.folders import Folders, replace_folders
from acp_spy.replay.lanes import EVERYWHERE, Lanes
from acp_spy.replay.line import NOTIFICATION, REQUEST, Line
from acp_spy.replay.names import is_distinctive, kind_of, paired_in_events, paired_names
from acp_spy.wire.pointer import span

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(rb"(" + _STRING + rb")([ \t\r\n]*:)?|[^\s{}\[\]\",:]++", re.DOTALL)
_LONGEST_NAME = 1024  # with its quotes; what is longer is no name
_decode_text = msgspec.json.Decoder(str).decode


class Bindings:
    """What stands for what. `folders` may be shared with nobody: each play has its own."""

    def __init__(self, *, map_folders: bool = True) -> None:
        self.folders = Folders()
        self.ids: dict[bytes, bytes] = {}  # of the live peer's requests, the latest of each
        self._map_folders = map_folders
        self._live: dict[tuple[str, str], str] = {}
        self._recorded: dict[tuple[str, str], str] = {}
        self._renamed: dict[str, str] = {}  # whatever is named: where a member's name tells nothing
        self._guesses: set[tuple[str, str]] = set()
        self._needles: list[bytes] = []  # a frame without any of these has no name to replace

    def copy(self) -> "Bindings":
        """Return bindings that know the same and learn for themselves."""
        other = Bindings(map_folders=self._map_folders)
        other.folders = self.folders.copy()
        other.ids = dict(self.ids)
        other._live, other._recorded = dict(self._live), dict(self._recorded)
        other._guesses = set(self._guesses)
        other._renamed, other._needles = dict(self._renamed), list(self._needles)
        return other

    def bind(self, kind: str, recorded: str, live: str, *, is_guess: bool = False) -> bool:
        """
        Let `live` stand for `recorded`; `False` if one of them stands for another already.

        What was guessed gives way to what is known: an agent may tell of a session before it has
        answered with its name, and which of two new ones that was shows only then.
        """
        if self._live.get((kind, recorded)) == live:
            if not is_guess:
                self._guesses.discard((kind, recorded))
            return True
        if not is_guess:
            for guess in {(kind, recorded), (kind, self._recorded.get((kind, live), ""))}:
                if guess in self._guesses:
                    self._forget(*guess)
        if (kind, recorded) in self._live or (kind, live) in self._recorded:
            return False
        self._live[kind, recorded] = live
        self._recorded[kind, live] = recorded
        if is_guess:
            self._guesses.add((kind, recorded))
        if recorded != live:
            self._renamed.setdefault(recorded, live)
            # What can be spelled in several ways is looked for in every frame.
            self._needles.append(recorded.encode() if _is_plain(recorded) else b"")
        return True

    def _forget(self, kind: str, recorded: str) -> None:
        live = self._live.pop((kind, recorded))
        del self._recorded[kind, live]
        self._guesses.discard((kind, recorded))
        if self._renamed.get(recorded) == live:
            del self._renamed[recorded]

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
        """Bind whatever stands in the same place of a recorded line and the live one for it."""
        if recorded.kind == REQUEST:
            self.ids[recorded.id] = live.id
        is_guess = recorded.kind == NOTIFICATION
        for kind, one, other in paired_in_events(recorded.event, live.event):
            self.bind(kind, one, other, is_guess=is_guess)
        for kind, one, other in paired_names(recorded.body, live.body):
            self.bind(kind, one, other, is_guess=is_guess)
        if self._map_folders:
            one, other = _folder(recorded), _folder(live)
            if one and other:
                self.folders.bind(one, other, lanes)

    def agree(self, recorded: str | None, live: str | None) -> bool:
        """Whether two sessions are the same one, or may become so."""
        if recorded is None or live is None:
            return recorded == live
        known = self._live.get(("session", recorded))
        owner = self._recorded.get(("session", live))
        return known == live if known is not None else owner is None

    def translate(self, line: Line, ident: bytes = b"", *, own: bool = True) -> bytes:
        """
        Return the bytes of a recorded line with its names as the live peer knows them.

        `ident` replaces the id of an answer. `own` tells whether the played side sends it.
        """
        text = line.raw[line.begins :]
        edits = list(self._edits(text, line, own=own))
        if ident and ident != line.id and (place := span(text, "/id")):
            edits.append((place.start, place.end, ident))
        text = _edited(text, edits) if edits else text
        if pairs := self.folders.pairs(line.session):
            text = replace_folders(text, pairs)
        return line.raw[: line.begins] + text

    def _edits(self, text: bytes, line: Line, *, own: bool) -> Iterator[tuple[int, int, bytes]]:
        # A `$/cancel_request` names a request of its sender, anything else one of its receiver.
        ids = self.ids if own != (line.method == "$/cancel_request") else {}
        ids = ids if b'"requestId"' in text else {}
        if not ids and not any(needle in text for needle in self._needles):
            return
        key = ""
        for token in _TOKEN.finditer(text):
            if token[2] is not None:
                key = _unquoted(token[1])
            elif key == "requestId" and token[0] in ids:
                yield token.start(), token.end(), ids[token[0]]
            elif token[1] is not None and (live := self._name(token[1], key)) is not None:
                yield token.start(), token.end(), msgspec.json.encode(live)

    def _name(self, token: bytes, key: str) -> str | None:
        """Return the live name for a string, if it is one that has to be replaced."""
        if len(token) > _LONGEST_NAME or (value := _unquoted(token)) not in self._renamed:
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


def _unquoted(token: bytes) -> str:
    if b"\\" not in token:
        return token[1:-1].decode(errors="replace")
    try:
        return _decode_text(token)
    except msgspec.DecodeError:
        return ""


def _edited(text: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Return `text` with each of these places replaced."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]])
