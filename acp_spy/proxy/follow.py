"""Follow a conversation to its end, by trio, and read meanwhile what the checker finds."""

from collections.abc import Callable
from typing import Any

import trio
from trio.lowlevel import Abort, wait_readable, wait_task_rescheduled

from acp_spy.engine.driven import carry
from acp_spy.engine.ready import is_readable
from acp_spy.errors import TasksLeft
from acp_spy.live_check.checker import CheckerProcess
from acp_spy.proxy.conversation import Conversation

LAST_WORDS = 2.0  # seconds that scripts have to end, when the conversation is over
_SOON = 0.002


async def follow(conversation: Conversation, checker: CheckerProcess | None) -> None:
    """
    Carry until all streams have ended, or the agent has, and its children are silent.

    Raises `TrioInternalError` if a task of a script does not end when it is cancelled.
    """
    async with trio.open_nursery() as nursery:
        if checker:
            nursery.start_soon(_read_findings, conversation, checker)
        if conversation.handling:
            conversation.handling.begin(nursery.start_soon, trio.sleep)
        try:
            await carry(conversation)
        finally:
            nursery.cancel_scope.cancel()
            if conversation.handling and not await _have_ended(nursery, conversation.wake):
                await _leave()


async def _have_ended(nursery: trio.Nursery, wake: int) -> bool:
    """Whether all tasks that were cancelled end soon, and before we are asked to end as well."""
    end = trio.current_time() + LAST_WORDS
    with trio.CancelScope(shield=True):
        # A nursery says by no event that a task has ended.
        while (  # noqa: ASYNC110
            nursery.child_tasks and trio.current_time() < end and not is_readable(wake)
        ):
            await trio.sleep(_SOON)
    return not nursery.child_tasks


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


async def _read_findings(conversation: Conversation, checker: CheckerProcess) -> None:
    while not conversation.is_ending:
        await wait_readable(checker.output)
        if not checker.read():
            return
