"""Follow a conversation to its end, by trio; then wait for who is not part of the traffic."""

import trio
from trio.lowlevel import wait_readable, wait_writable

from acp_spy.engine.driven import carry
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.live_check.checker import CheckerProcess
from acp_spy.proxy.conversation import Conversation


async def follow(conversation: Conversation, checker: CheckerProcess | None) -> None:
    """Carry until all streams have ended, or the agent has, and its children are silent."""
    async with trio.open_nursery() as nursery:
        if checker:
            nursery.start_soon(_read_findings, conversation, checker)
        if conversation.handling:
            conversation.handling.begin(nursery.start_soon, trio.sleep)
        await carry(conversation)
        nursery.cancel_scope.cancel()


async def _read_findings(conversation: Conversation, checker: CheckerProcess) -> None:
    while not conversation.is_ending:
        await wait_readable(checker.output)
        if not checker.read():
            return


async def finish(
    checker: CheckerProcess | None, queue: StderrQueue, wake: int, patience: float
) -> None:
    """
    Wait for the checker, and for who reads our messages.

    Until `wake` becomes readable, or nothing is read for `patience` seconds.
    """
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cancel_when_woken, wake, nursery.cancel_scope)
        await drain(queue, patience)
        if checker:
            with trio.move_on_after(checker.patience):
                while not checker.has_ended:
                    await wait_readable(checker.output)
                    checker.read()
                    await drain(queue, patience)
        nursery.cancel_scope.cancel()


async def drain(queue: StderrQueue, patience: float) -> None:
    """Wait until all is read, or nothing is for `patience` seconds."""
    while not queue.is_empty:
        with trio.move_on_after(patience) as taken:
            await wait_writable(queue.descriptor)
        if taken.cancelled_caught:
            return
        queue.flush()


async def _cancel_when_woken(wake: int, scope: trio.CancelScope) -> None:
    if wake >= 0:
        await wait_readable(wake)
        scope.cancel()
