"""Which frames on their way a filter of `view` selects."""

from collections.abc import Sequence

from acp_spy.conversation.state import Run
from acp_spy.middleware.context import Context
from acp_spy.view.filters import TOKENS_ON_THE_WAY, row_filter
from acp_spy.wire.frame import Frame


class Selection:
    """
    Ask it of each frame in its order. Raises `AcpSpyError` for a wrong token.

    Nearly all frames go on with a text. What a filter says of one of them it mostly says of the
    next, so no row is made for it.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._filter = row_filter(tokens, TOKENS_ON_THE_WAY)
        self.tokens = tuple(tokens)
        kinds = {kind.name: kind for kind in TOKENS_ON_THE_WAY}
        used = [kinds[token.lstrip("-!").partition(":")[0]] for token in tokens]
        self.remembers = any(kind.remembers for kind in used)  # then it must see every frame
        self._is_shared = all(kind.is_shared for kind in used)
        self._seq = 0  # of the last frame
        self._is_selected = False
        self._run: Run | None = None

    def has(self, frame: Frame, context: Context) -> bool:
        """Whether a frame is selected."""
        if not self.tokens:
            return True  # without looking at it
        if frame.seq != self._seq:  # each row once: a filter may remember texts
            self._seq = frame.seq
            run = context.run_of(frame) if self._is_shared else None
            if run is None or run is not self._run:
                self._run = run
                row = context.row(frame)
                self._is_selected = row is not None and self._filter(row)
        return self._is_selected
