"""
The folder that was worked in when the capture was made, and the one that is worked in now.

A path is found wherever it is in a text: at the beginning of a longer one, in a URL, in the
middle of what an agent says. Only the path itself is replaced; the text around it stays as it was.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

Pairs = tuple[tuple[str, str], ...]
NewFolder = tuple[str | None, str]  # in which session, and which folder

# What may come before or after a path and makes it another path. An escape such as `\n`
# ends with a letter, but not a path's.
_BEFORE = rb"(?:(?<![A-Za-z0-9_.~\x80-\xff-])|(?<=[^\\]\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
_AFTER = rb"(?![A-Za-z0-9_~\x80-\xff-]|\.[A-Za-z0-9])"

# A folder may begin with what is the second half of an escape.
_ESCAPES = (b"\\", b"b", b"f", b"n", b"r", b"t", b"u")
_NOT_IN_ESCAPE = rb"(?<!\\)"

_ROOT_CWD = re.compile(rb'("cwd"[ \t]*:[ \t]*")/"')
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")


class Folders:
    """Recorded folders and the live ones for them, by the session that uses them."""

    def __init__(self) -> None:
        self._by_session: dict[str | None, dict[str, str]] = {}
        self._pairs: dict[str | None, Pairs] = {}

    def bind(self, recorded: str, live: str, sessions: Iterable[str] = ()) -> list[NewFolder]:
        """Take `live` for `recorded` from now on, first of all in `sessions`; return the news."""
        if not _ABSOLUTE.match(recorded):
            return []  # a mere word would be found in every text
        recorded, live = _plain(recorded), _plain(live)
        self._pairs.clear()
        new: list[NewFolder] = []
        for scope in (None, *sessions):
            known = self._by_session.setdefault(scope, {})
            if recorded not in known:
                known[recorded] = live
                new.append((scope, recorded))
        return new

    def forget(self, new: Iterable[NewFolder]) -> None:
        """Take back what `bind` has returned."""
        self._pairs.clear()
        for scope, recorded in new:
            del self._by_session[scope][recorded]

    def pairs(self, session: str | None) -> Pairs:
        """Return what is to be replaced in a frame of `session`, the longest path first."""
        if (known := self._pairs.get(session)) is None:
            known = self._pairs[session] = self._merged(session)
        return known

    def _merged(self, session: str | None) -> Pairs:
        merged = {**self._by_session.get(None, {}), **self._by_session.get(session, {})}
        if all(one == other for one, other in merged.items()):
            return ()
        # One that stays as it is counts, too: it may lie in another that does not.
        return tuple(sorted(merged.items(), key=lambda pair: (-len(pair[0]), pair)))


def replace_folders(content: bytes, pairs: Pairs) -> bytes:
    """Return `content`, JSON text or a part of it, with each folder replaced."""
    pattern, lives = _compiled(pairs)
    if dict(pairs).get("/", "/") != "/":  # every path begins with it: only a `cwd` is it
        content = _ROOT_CWD.sub(lambda found: found[1] + _spell(dict(pairs)["/"]) + b'"', content)
    if pattern is None or not any(folder in content for folder in lives):
        return content

    def live(found: re.Match[bytes]) -> bytes:
        folder = lives[found[0]]
        goes_on = content[found.end() : found.end() + 1] in (b"/", b"\\")
        return b"" if folder == b"/" and goes_on else folder

    return pattern.sub(live, content)


@lru_cache(maxsize=64)
def _compiled(pairs: Pairs) -> tuple[re.Pattern[bytes] | None, dict[bytes, bytes]]:
    lives: dict[bytes, bytes] = {}
    for recorded, live in pairs:
        if recorded == "/":
            continue
        for spelling in (_spell(recorded), _spell_in_ascii(recorded)):
            lives[spelling] = _spell(live)
    if not lives:
        return None, {}
    longest_first = sorted(lives, key=lambda spelling: (-len(spelling), spelling))
    choice = b"|".join(
        _NOT_IN_ESCAPE * (each[:1] in _ESCAPES) + re.escape(each) for each in longest_first
    )
    return re.compile(_BEFORE + b"(?:" + choice + b")" + _AFTER), lives


def _plain(folder: str) -> str:
    return folder.rstrip("/") or "/" if folder else folder


def _spell(text: str) -> bytes:
    return msgspec.json.encode(text)[1:-1]


def _spell_in_ascii(text: str) -> bytes:
    import json

    return json.dumps(text)[1:-1].encode()
