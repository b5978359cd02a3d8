"""Follow a conversation to its end, by trio, and read meanwhile what the checker finds."""

from functools import partial

import trio
from trio.lowlevel import wait_readable

from acp_spy.engine.driven import carry
from acp_spy.engine.leaving import cancel_and_leave
from acp_spy.engine.ready import is_readable
from acp_spy.live_check.checker import CheckerProcess
from acp_spy.proxy.conversation import Conversation


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
            if conversation.handling:
                await cancel_and_leave(nursery, partial(is_readable, conversation.wake))
            else:
                nursery.cancel_scope.cancel()


async def _read_findings(conversation: Conversation, checker: CheckerProcess) -> None:
    while not conversation.is_ending:
        await wait_readable(checker.output)
        if not checker.read():
            return
