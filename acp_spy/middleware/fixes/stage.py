"""A stage that repairs what one peer sends."""

from collections.abc import Callable, Sequence

from acp_spy.lint.lines import LONGEST_PAUSE
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.fixes.fixer import ALL_FIXES, Fixer, Outcome
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.pipeline import Stage
from acp_spy.wire.frame import Frame, Peer


class FixStage(Stage):
    """
    The repairs of the frames of `side`, for the rules in the ruleset.

    It belongs next to that peer, so that it sees the other's frames as they arrive. `on_log` takes
    a frame and what was on its line and is not a message; without it, that goes to stderr.
    """

    def __init__(
        self,
        side: Peer,
        ruleset: Ruleset = ALL_FIXES,
        on_log: Callable[[Frame, bytes], None] | None = None,
    ) -> None:
        super().__init__()
        self.name, self.remark = "fix", "--fix"
        self._side = side
        self._fixer = Fixer(side, ruleset)
        self._on_log = on_log
        # By the identity of the frame: a fault may send it twice, with one number.
        self._held: dict[int, tuple[Frame, Held]] = {}

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Repair the line if it is from the peer of this side."""
        sent = line.frame
        frame = Frame(sent.seq, sent.t, line.to.other, line.raw, via=sent.via)
        if frame.sender is not self._side:
            self._fixer.follow(frame)
            return (line,)
        outcomes = [*self._fixer.take(frame)]
        own = outcomes.pop() if outcomes and outcomes[-1].frame is frame else None
        self._release(outcomes)
        if own is not None:
            return self._lines(line, own)
        held = Held(line, self.name)
        self._held[id(frame)] = frame, held
        if len(self._held) == 1:
            self.pipeline.start(self, self._wait)
        return (held,)

    def end(self) -> None:
        """Pass on what is held."""
        self._release(self._fixer.give_up())

    def let_go(self) -> None:
        """Pass on what is held; what is left goes on as it is, and is not waited for again."""
        try:
            self._release(self._fixer.give_up())
        finally:
            self._held.clear()

    async def _wait(self) -> None:
        """Wait as long as a message may pause between two lines, then pass on what is held."""
        import trio

        count = 0
        while self._held and count != len(self._held):
            count = len(self._held)
            await trio.sleep(LONGEST_PAUSE)
        if self._held:
            self._release(self._fixer.give_up())

    def _release(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if known := self._held.pop(id(outcome.frame), None):  # else it was let go
                _, held = known
                held.release(*self._lines(held.line, outcome))

    def _lines(self, line: Line, outcome: Outcome) -> list[Line]:
        if outcome.log:
            if self._on_log:
                self._on_log(outcome.frame, outcome.log)
            else:
                self.pipeline.log(outcome.log)
        if not outcome.lines:
            return [line.dropped(_by(outcome.codes))]
        return [
            line.replaced(each.raw, _by(each.codes)) if each.codes else line
            for each in outcome.lines
        ]


def _by(codes: Sequence[str]) -> str:
    return f"fix {', '.join(codes)}"
