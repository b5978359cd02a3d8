"""What is required of the live side: everything of a client, of an agent what `--expect` says."""

from acp_spy.replay.line import NOTIFICATION, REQUEST, UNREADABLE, Line
from acp_spy.replay.options import Options
from acp_spy.replay.script import Expect
from acp_spy.wire.frame import Peer


class Requirements:
    """`role` is that of the played side."""

    def __init__(self, role: Peer, options: Options) -> None:
        self._plays_agent = role is Peer.AGENT
        self._expect = options.expect
        self._warns = options.on_divergence == "warn"
        self._is_strict = options.strict

    def counts(self, line: Line) -> bool:
        """Whether it is a divergence if a line comes that was not recorded."""
        if self._plays_agent:
            return True
        if line.kind in (NOTIFICATION, UNREADABLE):
            return self._expect == "exact"
        return self._expect != "none"

    def requires(self, expect: Expect) -> bool:
        """Whether it is a divergence if a recorded line does not come."""
        if self._plays_agent or self._expect == "exact":
            return True
        return self._expect == "shape" and expect.needed

    def requires_order(self, expect: Expect) -> bool:
        """Whether it is a divergence if a line comes before it that was recorded after it."""
        return self._is_strict and self.requires(expect)

    def requires_status(self, recorded: int | None, live: int | None) -> bool:
        """
        Whether it is a divergence that a live agent ended with another status, or not by itself.

        An end by a signal may not have been its own doing, so no signal is required.
        """
        by_itself = recorded is not None and recorded >= 0
        return self._expect == "exact" and not self._plays_agent and by_itself and recorded != live

    def continues_after(self, expect: Expect) -> bool:
        """Whether a line that differs is accepted all the same: a live agent is driven on."""
        return self._warns or (not self._plays_agent and expect.line.kind != REQUEST)
