"""Follow a conversation to its end, by trio; then wait for who is not part of the traffic."""

import trio
from trio.lowlevel import wait_readable, wait_writable

from acp_spy.engine.driven import something_to_carry
from acp_spy.engine.stderr_queue import StderrQueue
from acp_spy.live_check.checker import CheckerProcess
from acp_spy.proxy.conversation import FROM_CLOSE_TO_END, Conversation


async def follow(conversation: Conversation, checker: CheckerProcess | None) -> None:
    """Carry until all streams have ended, or the agent has, and its children are silent."""
    is_log_ending = False
    async with trio.open_nursery() as nursery:
        if checker:
            nursery.start_soon(_read_findings, conversation, checker)
        with trio.CancelScope() as silence:
            if handling := conversation.handling:
                handling.on_change = lambda: _move_deadline(silence, conversation)
                handling.begin(nursery.start_soon)
            while conversation.patience:
                if conversation.holds_log and not is_log_ending:
                    is_log_ending = True
                    nursery.start_soon(_end_log, conversation, silence)
                _move_deadline(silence, conversation)
                await something_to_carry(conversation.carrier)
                conversation.carrier.carry()
        nursery.cancel_scope.cancel()


def _move_deadline(silence: trio.CancelScope, conversation: Conversation) -> None:
    silence.deadline = trio.current_time() + conversation.patience


async def _end_log(conversation: Conversation, silence: trio.CancelScope) -> None:
    """Pass on the end of stderr. If that is the agent's own end, it takes a moment to show."""
    with trio.move_on_after(FROM_CLOSE_TO_END) as moment:
        await wait_readable(conversation.agent_end)
    conversation.end_log(agent_ends=not moment.cancelled_caught)
    _move_deadline(silence, conversation)


async def _read_findings(conversation: Conversation, checker: CheckerProcess) -> None:
    while not conversation.agent_has_ended:
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
