"""One mock that a test has asked for: its command line, and what became of it."""

import os
import shlex
import sys
import time
from collections.abc import Callable
from typing import Any

from acp_spy.live_replay import verdict
from acp_spy.wire.inert import inert

# Without the folder of the test: what is there must not replace what we import.
ACP_SPY = (sys.executable, "-P", "-m", "acp_spy")
# How long a mock that has lost its peer may take to end.
_GRACE = 5.0
_OTHER = {"agent": "client", "client": "agent"}


class Mock:
    """
    A mock `role` that plays the capture at `path`.

    `shown` is how the capture is called in messages, `again` the command that records it again,
    empty while it is. A mock that `is_optional` need not be started. One that `has_faults` cannot
    say what its peer should do with them: that is for the test.
    """

    def __init__(
        self,
        role: str,
        path: str,
        folder: str,
        *,
        shown: str,
        again: str,
        is_optional: bool = False,
        has_faults: bool = False,
    ) -> None:
        self.role = role
        self.path = path
        self.shown = shown
        self.folder = folder
        self._verdict = os.path.join(folder, "verdict.jsonl")
        self._again = again
        self._command: list[str] = []
        self._reported = 0  # lines of the verdict
        self.is_optional = is_optional
        self._has_faults = has_faults

    def argv(self, flags: list[str], command: list[str]) -> list[str]:
        """Return the command line."""
        self._command = command
        # Quiet: what is in the verdict is in the report of the test, and once is enough.
        words = [*ACP_SPY, "replay", self.role, self.path, "--verdict", self._verdict, "--quiet"]
        words += flags
        return [*words, "--", *command] if command else words

    @property
    def is_started(self) -> bool:
        """Whether somebody has started it: it says so first of all, but not at once."""
        return bool(verdict.read(self._verdict))

    @property
    def is_running(self) -> bool:
        """Whether somebody has started it, and it has not ended yet."""
        return verdict.is_running(self._verdict)

    def wait(self) -> None:
        """Give it the time to end; who has lost its peer does so at once."""
        wait_until(lambda: not self.is_running)

    def complaint(self) -> str:
        """Return what the mock has reported since the last time; empty if all went as recorded."""
        lines = verdict.read(self._verdict)
        new, self._reported = lines[self._reported :], len(lines)
        errors = [line for line in new if line["type"] == verdict.ERROR]
        if errors:
            return "\n".join(map(self._could_not_play, errors))
        texts = [line["text"] for line in new if line["type"] == verdict.DIVERGENCE]
        return self._diverged(texts) if texts and not self._has_faults else ""

    def absence(self) -> str:
        """Return what is missing when the test is over; empty if nothing is."""
        lines = verdict.read(self._verdict)
        if not lines:
            return self._never_started()
        if self._has_faults or any(
            line["type"] in (verdict.ERROR, verdict.DIVERGENCE) for line in lines
        ):
            return ""  # that was reported, or is no concern of ours
        done = {line["pid"] for line in lines if line["type"] in (verdict.COMPLETE, verdict.END)}
        return self._cut_short() if {line["pid"] for line in lines} - done else ""

    def _never_started(self) -> str:
        if self.is_optional:
            return ""
        return (
            f"the mock {self.role} of {self.shown} was never started\n"
            f"hint: start it, or make it optional: acp_{self.role}(..., optional=True)"
        )

    def _could_not_play(self, error: dict[str, Any]) -> str:
        if error.get("peer"):
            return f"{error['text']}\nhint: run it yourself: {shlex.join(self._command)}"
        return f"cannot play {self.shown}: {error['text']}"

    def _diverged(self, texts: list[str]) -> str:
        head = f"the {_OTHER[self.role]} diverged from {self.shown}:"
        again, self._again = self._again, ""  # once is enough
        hint = [f"hint: if the new behavior is right, re-record it: {again}"] if again else []
        return "\n".join([head, *texts, *hint])

    def _cut_short(self) -> str:
        what = "still runs" if self.is_running else "was killed"
        other = _OTHER[self.role]
        return (
            f"the mock {self.role} of {self.shown} {what}, but the {other} did not send all that"
            " was recorded\n"
            f"hint: let the {other} end the conversation before the test ends"
        )


def masked(text: str) -> str:
    """
    Return what is said of a test for the log of a CI: without secrets, and with nothing that acts.

    Others read it, and words of a peer or of a command line may be in it.
    """
    if not text:
        return ""
    from acp_spy.secrets.redactor import Redactor  # most tests pass

    redactor = Redactor()
    # Line by line: a value that is cut within its quotes does not end in another line.
    return "\n".join(redactor.text(line) for line in inert(text, but="\n").split("\n"))


def wait_until(happens: Callable[[], bool]) -> None:
    """Wait for something that happens soon, if at all; nobody could let us know."""
    end = time.monotonic() + _GRACE
    while not happens() and time.monotonic() < end:
        time.sleep(0.01)
