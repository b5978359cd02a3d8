"""Check conversations while they run: a process for each, up to a number of them at once."""

from collections.abc import Callable

import trio
from trio.lowlevel import wait_readable

from acp_spy.live_check.checker import CheckerProcess
from acp_spy.live_check.spawn import spawn
from acp_spy.remote.conversations import Conversation

MOST = 8  # at once; each takes a tenth of a gigabyte


class Checking:
    """
    Begins a checker with each conversation, and writes its findings into the capture.

    `show`, if given, gets each finding, with the path of its capture. `complain` takes a line.
    """

    def __init__(
        self,
        complain: Callable[[str], None],
        show: Callable[[str, bytes], None] | None = None,
        *,
        is_off: bool = False,
    ) -> None:
        self._complain = complain
        self._show = show
        self._is_off = is_off
        self._nursery: trio.Nursery | None = None
        self._checkers: dict[int, CheckerProcess] = {}
        self._has_skipped = False

    def run_in(self, nursery: trio.Nursery) -> None:
        """Read findings by tasks in `nursery`."""
        self._nursery = nursery

    def begin(self, conversation: Conversation) -> None:
        """Check a conversation from its beginning on."""
        tap = conversation.tap
        if self._is_off or self._nursery is None or not tap.path or not tap.can_be_followed:
            return
        if len(self._checkers) >= MOST:
            if not self._has_skipped:
                self._has_skipped = True
                self._complain(
                    f"only {MOST} conversations are checked at once;"
                    " run `acp-spy check` on the others"
                )
            return
        path, show = tap.path, self._show
        try:
            checker = CheckerProcess(
                tap, (lambda line: show(path, line)) if show else None, self._complain, spawn
            )
        except OSError as error:
            self._complain(f"not checking: cannot start the checker: {error.strerror}")
            return
        self._checkers[id(conversation)] = checker
        self._nursery.start_soon(self._read, conversation, checker)

    def end(self, conversation: Conversation) -> None:
        """Let the checker of a conversation come to its end; then close the capture."""
        checker = self._checkers.get(id(conversation))
        if checker is None:
            conversation.tap.close()
        else:
            checker.close()

    @property
    def patience(self) -> float:
        """For how many seconds to wait for the rest, when nothing more will be recorded."""
        return max((checker.patience for checker in self._checkers.values()), default=0.0)

    async def _read(self, conversation: Conversation, checker: CheckerProcess) -> None:
        try:
            while not checker.has_ended:
                await wait_readable(checker.output)
                if not checker.read():
                    break
        finally:
            del self._checkers[id(conversation)]
            is_over = checker.is_closed
            checker.leave()
            if is_over:  # else the conversation goes on without it
                conversation.tap.close()
