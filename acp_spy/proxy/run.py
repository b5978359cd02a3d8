"""
Run a conversation with those who are not part of the traffic: our messages and the checker.

Whatever is wrong with trio, or with what we do by it, is reported, and the traffic goes on.
"""

from collections.abc import Callable
from functools import partial
from select import POLLIN, POLLOUT
from time import monotonic
from typing import TYPE_CHECKING

from acp_spy.engine.loading import Loading
from acp_spy.engine.ready import poll_once
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

    def follow(self, conversation: Conversation) -> None:
        """Carry everything until the agent has ended."""
        follow = partial(self._by_trio, conversation)
        if conversation.handling is None:
            carry(conversation, self._loading, follow)
        elif not follow():  # there is nothing to carry in which trio has no part
            carry_alone(conversation)

    def finish(self, patience: float, last_words: Callable[[], None]) -> None:
        """
        Wait for the rest of the findings, and for who reads our messages; say the last words.

        Until nothing is read for `patience` seconds, or a client asks for the end. What is not read
        by then is left in the pipe, as far as that can be made to hold it. Nothing else is going
        on any more, so that trio is not needed, and not loaded for it.
        """
        checker = self._checker
        self._queue.detach()
        if checker:
            checker.close()
        self._drain(patience)
        if checker:
            end = monotonic() + checker.patience
            while not checker.has_ended and self._comes(checker.output, POLLIN, end - monotonic()):
                checker.read()
                self._drain(patience)
            checker.leave()
        last_words()
        self._drain(patience)
        self._queue.leave_rest()

    def _drain(self, patience: float) -> None:
        """Wait until all is read, or nothing is for `patience` seconds."""
        queue = self._queue
        while not queue.is_empty and self._comes(queue.descriptor, POLLOUT, patience):
            queue.flush()

    def _comes(self, descriptor: int, events: int, seconds: float) -> bool:
        """Whether it comes within `seconds`, and before a client asks for the end."""
        ready = poll_once({descriptor: events, self._wake: POLLIN}, seconds)
        return descriptor in ready and self._wake not in ready

    def _by_trio(self, conversation: Conversation) -> bool:
        """Follow it by trio; report what goes wrong, and return `False`."""
        try:
            error = self._loading.run("follow", conversation, self._checker)
        except Exception as bug:  # noqa: BLE001 - a bug of ours must not stop the traffic
            self._complain(f"{reason_of(bug)}; the conversation goes on")
            return False
        if error:
            self._complain(f"cannot use trio: {_reason(error)}; {_WITHOUT_TRIO}")
        return error is None


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return NO_MEMORY if isinstance(error, MemoryError) else str(error) or type(error).__name__
