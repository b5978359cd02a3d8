"""
A message normalized so that it can be compared: names marked, times and folders made alike.

Names are those of `replay/peer_names.py`, wherever they are if nothing else can be meant, and
UUIDs. A session's folder is `<cwd>`, the user's home `~`, and a time `<time>`, string or number.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from acp_spy.comparison.name_marks import mark, replace_marks, without_marks
from acp_spy.replay.folder_mapping import plain
from acp_spy.replay.paths_in_text import Paths
from acp_spy.replay.peer_names import is_distinctive, kind_of

CWD, OTHER_CWD, HOME, TIME = "<cwd>", "<other cwd>", "~", "<time>"
_DEEPEST = 200  # what is nested deeper is compared as the text that was sent

_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}")
_UUID = re.compile(r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:])"
)
_HOME = re.compile(r"(?<![\w.~-])(?:/(?:home|Users)/[^/\s\"'`:;,<>|)\]]+|/root(?![\w.-]))")
_TIME_KEYS = re.compile(r"(?:[a-z]At|_at|[Tt]imestamp|(?:^d|_d|[a-z]D)uration(?:_?[Mm]s)?)$")


class Normalizer:
    """
    Normalizes the messages of one capture.

    `names` are all that are used in it, `folders` those that the sessions work in, `cwd` is where
    the agent was started.
    """

    def __init__(
        self, names: Mapping[str, str], folders: Mapping[str | None, str], cwd: str = ""
    ) -> None:
        self._names = names
        self._identifying = {name: kind for name, kind in names.items() if is_distinctive(name)}
        # What is outside of sessions is, as a rule, about the only one.
        first = next(iter(folders.values()), "") or cwd
        self._cwds = {session: plain(folder or first) for session, folder in folders.items()}
        self._cwds.setdefault(None, plain(first))
        self._known = {plain(folder) for folder in (cwd, *folders.values()) if folder}
        self._paths = Paths(self._known)

    def message(self, body: Any, session: str | None, own: Mapping[str, str]) -> str:
        """Return `body` as JSON text; `own` are names that may be anywhere in it."""
        cwd = self._cwds.get(session, self._cwds[None])
        normalized = self._value(body, "", cwd, own, 0)
        return msgspec.json.encode(normalized, order="deterministic").decode()

    def text(self, text: str) -> str:
        """Return a text of our own, likewise, with what is named in place of the names."""
        return replace_marks(self._text(text, self._cwds[None]), lambda name: f"<{name[0]}>")

    def _value(self, value: Any, key: str, cwd: str, own: Mapping[str, str], deep: int) -> Any:
        if isinstance(value, str):
            return self._string(value, key, cwd, own)
        if isinstance(value, dict):
            if deep > _DEEPEST:
                raise RecursionError
            return {
                without_marks(name): self._value(item, name, cwd, own, deep + 1)
                for name, item in value.items()
            }
        if isinstance(value, list):
            if deep > _DEEPEST:
                raise RecursionError
            return [self._value(item, key, cwd, own, deep + 1) for item in value]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return TIME if is_number and _TIME_KEYS.search(key) else value

    def _string(self, value: str, key: str, cwd: str, own: Mapping[str, str]) -> str:
        value = without_marks(value)
        if kind := kind_of(key) or own.get(value, ""):
            return mark(kind, value)
        if key == "id" and value in self._names:
            return mark(self._names[value], value)
        if key == "cwd":  # `/` is one, too, and is only known by its place
            folder = plain(value)
            return _called(folder, cwd) if folder in self._known else self._text(value, cwd)
        return self._text(value, cwd)

    def _text(self, text: str, cwd: str) -> str:
        text = self._in_folders(text, cwd)
        if "/" in text:
            text = _HOME.sub(HOME, text)
        if len(text) < 8:
            return text
        text = _TIME.sub(TIME, text)
        if self._identifying:
            text = _TOKEN.sub(self._token, text)
        return _UUID.sub(_uuid, text)

    def _in_folders(self, text: str, cwd: str) -> str:
        spelled = msgspec.json.encode(text)[1:-1]
        replaced = self._paths.replace(spelled, lambda folder: _called(folder, cwd))
        if replaced is spelled:
            return text
        return msgspec.json.decode(b'"' + replaced + b'"', type=str)

    def _token(self, found: re.Match[str]) -> str:
        kind = self._identifying.get(found[0])
        return mark(kind, found[0]) if kind else found[0]


def _uuid(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 1) : found.start()]
    return found[0] if before == "\ufdd1" else mark("id", found[0])


def _called(folder: str, cwd: str) -> str:
    """Return what a folder is called in a session that works in `cwd`."""
    return CWD if folder == cwd else OTHER_CWD
