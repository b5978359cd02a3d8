"""Since when a live peer has made no progress: when it is not waited for any longer."""

from acp_spy.replay.line import NOTIFICATION, Line
from acp_spy.replay.live_conversation import Speaker
from acp_spy.replay.script import Expect, Script
from acp_spy.wire.frame import Peer


class Progress:
    """
    The time of the last thing that was in the capture: it was said, or has come.

    How much an agent has to tell while it works is its own business: that is progress, too, as
    long as such things were told in the capture.
    """

    def __init__(self, script: Script, timeout: float) -> None:
        self._timeout = timeout
        self._is_of_agent = script.role is Peer.CLIENT
        live = (part.line for part in script.parts if isinstance(part, Expect))
        self._told = {line.method for line in live if line.kind == NOTIFICATION}
        self._at = 0.0

    @property
    def deadline(self) -> float | None:
        """When it has taken too long; `None` for never."""
        return self._at + self._timeout if self._timeout else None

    def make(self, now: float) -> None:
        """Take note of progress at the time `now`, which may be yet to come."""
        self._at = max(self._at, now)

    def hear(self, line: Line, speaker: Speaker, now: float) -> None:
        """Take note of a live line that may be progress by itself, whatever it is taken for."""
        is_telling = line.kind == NOTIFICATION and line.method in self._told
        if self._is_of_agent and is_telling and speaker.has_given_work(line.session):
            self.make(now)
