"""
Run a conversation with those who are not part of the traffic: our messages and the checker.

Whatever is wrong with trio, or with what we do by it, is reported, and the traffic goes on.
"""

from collections.abc import Callable
from select import POLLIN, POLLOUT
from time import monotonic
from typing import TYPE_CHECKING

from acp_spy.engine.ready import poll_once
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.engine.work import Loading, carry, carry_alone
from acp_spy.errors import NO_MEMORY, reason_of
from acp_spy.proxy.conversation import Conversation
from acp_spy.wire import inert  # noqa: F401 - loaded now: to complain must not need a file

if TYPE_CHECKING:
    from acp_spy.live_check.checker import CheckerProcess

_kept: list[BaseException] = []  # with the tasks in them: those that are freed run once more
LINGER = 0.01  # seconds of silence for which trio waits, where only findings wait for it
PATIENCE = 2.0  # seconds in which who reads our messages, with `-v`, must have read something
_WITHOUT_TRIO = "conversation and recording go on, findings come when it is over"


def follow(
    conversation: Conversation, checker: "CheckerProcess | None", complain: Callable[[str], None]
) -> None:
    """Carry everything until the agent has ended. `complain` takes a line for stderr."""
    loading = Loading("acp_spy.proxy.follow")
    handling = conversation.handling

    def by_trio() -> bool:
        try:
            error = loading.run("follow", conversation, checker)
        # A bug of ours must not stop the traffic, nor a task that a script started: it may raise
        # anything, and nothing of it is a Ctrl-C, for which a thread waits.
        except BaseException as bug:  # noqa: BLE001
            _kept.append(bug)
            reason = (handling.explain(bug) if handling else "") or reason_of(bug)
            goes_on = "" if conversation.is_over else "; the conversation goes on"
            complain(f"{reason}{goes_on}")
            return False
        if error:
            complain(f"cannot use trio: {_reason(error)}; {_WITHOUT_TRIO}")
        elif handling and not conversation.is_over:
            complain(f"{handling.explain(None)}; the conversation goes on")
            return False
        return error is None

    if handling is None:
        conversation.carrier.linger = LINGER
        carry(conversation, loading, by_trio)
    elif not by_trio():  # there is nothing to carry in which trio has no part
        handling.go_on_without_tasks()
        carry_alone(conversation)


def finish(
    queue: StderrQueue,
    checker: "CheckerProcess | None",
    wake: int,
    patience: float,
    last_words: Callable[[], None],
) -> None:
    """
    Wait for the rest of the findings, and for who reads our messages; say the last words.

    Until nothing is read for `patience` seconds, or a client asks for the end: then `wake` becomes
    readable. What is not read by then is left in the pipe, as far as that can be made to hold it.
    """

    def comes(descriptor: int, events: int, seconds: float) -> bool:
        ready = poll_once({descriptor: events, wake: POLLIN}, seconds)
        return descriptor in ready and wake not in ready

    def drain() -> None:
        nonlocal patience
        while queue.pending:
            if not comes(queue.descriptor, POLLOUT, patience):
                patience = 0  # not again for each of the checker's findings
                return
            queue.flush()

    queue.detach()
    if checker:
        checker.close()
    drain()
    if checker:
        end = monotonic() + checker.patience
        while not checker.has_ended and comes(checker.output, POLLIN, end - monotonic()):
            checker.read()
            drain()
        checker.leave()
    last_words()
    drain()
    queue.leave_rest()


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return NO_MEMORY if isinstance(error, MemoryError) else str(error) or type(error).__name__
