"""What runs beside the conversations: checkers, and our stderr; and how all of it ends."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from acp_spy.remote.checking import Checking
from acp_spy.remote.service import Service


@asynccontextmanager
async def until_signal(service: Service, checking: Checking) -> AsyncIterator[AsyncIterator[int]]:
    """
    Give the signals that ask for the end. After the block, checkers get time for the rest.

    SIGHUP, too: a terminal that is closed would leave agents behind. But not under `nohup`.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    async with trio.open_nursery() as nursery:
        if service.log:
            nursery.start_soon(service.log.run)
        async with trio.open_nursery() as checkers:
            checking.run_in(checkers)
            with trio.open_signal_receiver(*numbers) as signals:
                yield signals
                # Before one that came meanwhile is raised again: it ends us.
                service.conversations.close()
            checkers.cancel_scope.deadline = trio.current_time() + checking.patience
        nursery.cancel_scope.cancel()
