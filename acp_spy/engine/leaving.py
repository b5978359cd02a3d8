"""The end of trio while tasks of scripts are running, of which some do not end when cancelled."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from trio.lowlevel import Abort, wait_task_rescheduled

from acp_spy.errors import TasksLeft

LAST_WORDS = 2.0  # seconds that scripts have to end, when the conversation is over
_SOON = 0.002


async def cancel_and_leave(
    nursery: trio.Nursery,
    is_urgent: Callable[[], bool] = lambda: False,
    pause: Callable[[float], Awaitable[object]] = trio.sleep,
) -> None:
    """
    Cancel all tasks of a nursery, and leave trio if they do not end, or if it becomes urgent.

    They have two seconds, by the clock on the wall. If trio has another clock, it must go on while
    `pause` waits. Raises `TrioInternalError` to leave.
    """
    nursery.cancel_scope.cancel()
    end = time.monotonic() + LAST_WORDS
    with trio.CancelScope(shield=True):
        # A nursery says by no event that a task has ended.
        while nursery.child_tasks and time.monotonic() < end and not is_urgent():
            await pause(_SOON)
    if nursery.child_tasks:
        await _leave()


async def _leave() -> None:
    """
    Leave trio, which would wait for the tasks that run; nothing of trio is used after that.

    A function that aborts a wait must not raise. If it does, trio ends at once, with that as the
    cause; it has no other way to end while a task runs.
    """

    def abort(_raise_cancel: Callable[[], Any]) -> Abort:
        raise TasksLeft

    with trio.CancelScope() as scope:
        scope.cancel()
        await wait_task_rescheduled(abort)
