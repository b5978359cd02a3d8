"""
The captures of the folder as the start page is given them: as they are by now, and what changes.

The page is sent lines of JSON: `captures` has those that are new or have changed, `order` the names
of all of them, from top to bottom, `folder` where they are. The page itself lets time pass.
"""

import time
from functools import partial
from typing import Any

from acp_spy.errors import AcpSpyError
from acp_spy.live_page.find import name_in_url
from acp_spy.secrets.redactor import Redactor
from acp_spy.view.captures.live import LiveCapture, LiveCaptures
from acp_spy.view.page_data import to_json

_BUDGET = 0.05  # seconds that are read before something is shown
_PIECE = 256 * 1024
_MOST_PENDING = 3
_LONGEST = 500


class CaptureList:
    """Call `take` now and then. `masked`, placeholders replace secrets."""

    def __init__(self, folder: str, *, masked: bool = True) -> None:
        self._captures = LiveCaptures(folder, finds_secrets=masked)
        self._is_masked = masked
        self._folder = Redactor().text(folder) if masked else folder
        self._made: dict[str, tuple[LiveCapture, dict[str, Any]]] = {}  # entries, by name
        self._order: list[str] | None = None
        self.has_more = False  # to be read at once

    def take(self) -> list[str]:
        """Return what has changed, as lines."""
        if not self.has_more:
            try:
                self._captures.refresh()
            except AcpSpyError as error:
                if self._is_masked:
                    error = error.without_secrets(Redactor().text)
                return [to_json({"error": {"message": error.message, "hint": error.hint}})]
        until = time.monotonic() + _BUDGET
        self.has_more = True
        while self.has_more and time.monotonic() < until:
            self.has_more = self._captures.advance(_PIECE)
        now = time.time()
        found = {name_in_url(each.summary.path): each for each in self._captures.listed(now)}
        before, self._made = self._made, {}
        changed = []
        for name, capture in found.items():
            made = before.get(name)
            if made is None or made[0] is not capture:
                entry = self._entry(capture)
                if made is None or made[1] != entry:
                    changed.append({"name": name, **entry, "seconds": capture.summary.seconds})
                made = capture, entry
            self._made[name] = made
        news: dict[str, Any] = {"captures": changed} if changed else {}
        if [*found] != self._order:
            self._order = [*found]
            news |= {"order": self._order, "folder": self._folder}
        return [to_json(news)] if news else []

    def close(self) -> None:
        """Read no more."""
        self._captures.close()

    def _entry(self, capture: LiveCapture) -> dict[str, Any]:
        """Return what does not change by itself with time."""
        summary = capture.summary
        found = summary.diagnosis
        masked = partial(self._captures.without_secrets, summary.path)

        def shown(text: str) -> str:
            return masked(text[: 2 * _LONGEST])[:_LONGEST]

        return {
            "file": shown(summary.name),
            "started": summary.started.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "state": summary.state.value,
            "agent": shown(f"{summary.agent.name} {summary.agent.version}".strip()),
            "client": shown(f"{summary.client.name} {summary.client.version}".strip()),
            "frames": summary.frames,
            "findings": summary.findings,
            "status": summary.status,
            "reason": shown(summary.reason),
            "size": summary.size,
            "isRead": capture.is_read,
            "diagnosis": found
            and {
                "words": found.words,
                "text": masked(found.text),
                "isWrong": found.is_wrong,
            },
            "pending": [
                {
                    "of": "agent" if each.asker == "client" else "client",
                    "method": shown(each.method),
                    "t": each.t,
                    "kept": each.kept and shown(each.kept),
                }
                for each in capture.pending[:_MOST_PENDING]
            ]
            if capture.is_running
            else [],
            "pendingCount": len(capture.pending) if capture.is_running else 0,
        }
