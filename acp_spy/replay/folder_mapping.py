"""The folder that was worked in when the capture was made, and the one that is worked in now."""

import re
from collections.abc import Iterable

from acp_spy.replay.paths_in_text import Paths

NewFolder = tuple[str | None, str]  # in which session, and which folder

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")


class Folders:
    """Recorded folders and the live ones for them, by the session that uses them."""

    def __init__(self) -> None:
        self._by_session: dict[str | None, dict[str, str]] = {None: {}}
        self._recorded = Paths()

    def bind(self, recorded: str, live: str, sessions: Iterable[str] = ()) -> list[NewFolder]:
        """Take `live` for `recorded` from now on, first of all in `sessions`; return the news."""
        if not _ABSOLUTE.match(recorded):
            return []  # a mere word would be found in every text
        recorded, live = plain(recorded), plain(live)
        self._recorded.add(recorded)
        new: list[NewFolder] = []
        for scope in (None, *sessions):
            known = self._by_session.setdefault(scope, {})
            if recorded not in known:
                known[recorded] = live
                new.append((scope, recorded))
        return new

    def forget(self, new: Iterable[NewFolder]) -> None:
        """Take back what `bind` has returned."""
        for scope, recorded in new:
            del self._by_session[scope][recorded]
            if scope is None:
                self._recorded.remove(recorded)

    def replace(self, content: bytes, session: str | None) -> bytes:
        """Return `content`, JSON text of `session`, with the live folders in it."""
        everywhere = self._by_session[None]
        own = self._by_session.get(session, everywhere)
        return self._recorded.replace(content, lambda path: own.get(path, everywhere[path]))


def plain(folder: str) -> str:
    """Return a folder without the slashes at its end."""
    return folder.rstrip("/") or "/" if folder else folder
