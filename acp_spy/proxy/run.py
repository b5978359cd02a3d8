"""
Run a conversation with those who are not part of the traffic: our messages and the checker.

Whatever is wrong with trio, or with what we do by it, is reported, and the traffic goes on.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_spy.engine.loading import Loading
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.engine.work import carry, carry_alone
from acp_spy.errors import NO_MEMORY, reason_of
from acp_spy.proxy.conversation import Conversation
from acp_spy.wire import inert  # noqa: F401 - loaded now: to complain must not need a file

if TYPE_CHECKING:
    from acp_spy.live_check.checker import CheckerProcess

_WITHOUT_TRIO = "conversation and recording go on, findings come when it is over"


class Run:
    """
    One run of the proxy.

    `wake` becomes readable when a client asks for the end, `complain` takes a line for stderr.
    """

    def __init__(
        self,
        queue: StderrQueue,
        checker: "CheckerProcess | None",
        wake: int,
        complain: Callable[[str], None],
    ) -> None:
        self._queue = queue
        self._checker = checker
        self._wake = wake
        self._complain = complain
        self._loading = Loading("acp_spy.proxy.follow")
        self._does_without = False

    def follow(self, conversation: Conversation) -> None:
        """Carry everything until the agent has ended."""
        follow = partial(self._by_trio, "follow", conversation, self._checker)
        if conversation.handling is None:
            carry(conversation, self._loading, follow)
        elif not follow():  # there is nothing to carry in which trio has no part
            carry_alone(conversation)

    def finish(self, patience: float, last_words: Callable[[], None]) -> None:
        """
        Wait for the rest of the findings, and for who reads our messages; say the last words.

        Until nothing is read for `patience` seconds, or a client asks for the end. What is not read
        by then is left in the pipe, as far as that can be made to hold it.
        """
        queue, checker = self._queue, self._checker
        queue.detach()
        if checker:
            checker.close()
        if (patience and not queue.is_empty) or (checker and checker.patience):
            self._by_trio("finish", checker, queue, self._wake, patience)
        if checker:
            checker.leave(checker.patience if self._does_without else 0)
        last_words()
        if patience and not queue.is_empty:
            self._by_trio("finish", None, queue, self._wake, patience)
        queue.leave_rest()

    def _by_trio(self, name: str, *args: Any) -> bool:
        """Run a function of `follow.py` by trio; report what goes wrong, and return `False`."""
        try:
            error = self._loading.run(name, *args)
        except Exception as bug:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._complain(f"{reason_of(bug)}; the conversation goes on")
            return False
        if error and not self._does_without:
            self._does_without = True  # once is enough
            self._complain(f"cannot use trio: {_reason(error)}; {_WITHOUT_TRIO}")
        return error is None


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return NO_MEMORY if isinstance(error, MemoryError) else str(error) or type(error).__name__
