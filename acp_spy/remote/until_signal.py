"""What runs beside the conversations: checkers, and our stderr; and how all of it ends."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from acp_spy.engine.tap import END_LEFT_OUT, SOON, STILL_REDACTING
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
        nursery.start_soon(service.keep_alive.run)
        if service.log:
            nursery.start_soon(service.log.run)
        async with trio.open_nursery() as checkers:
            checking.run_in(checkers)
            with trio.open_signal_receiver(*numbers) as signals:
                # Before one that came meanwhile is raised again: it ends us.
                async with _finishing(service, signals):
                    yield signals
            checkers.cancel_scope.deadline = trio.current_time() + checking.patience
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _finishing(service: Service, signals: AsyncIterator[int]) -> AsyncIterator[None]:
    """Finish conversations beside the others; after the block all, unless a signal comes again."""
    async with trio.open_nursery() as nursery:
        async with trio.open_nursery() as endings:
            service.conversations.finish_by(
                lambda finish: endings.start_soon(service.guard_against_bugs, finish)
            )
            yield
            service.conversations.close()
            if endings.child_tasks:
                nursery.start_soon(_leave_out_rest, service, signals, endings.cancel_scope)
        nursery.cancel_scope.cancel()


async def _leave_out_rest(
    service: Service, signals: AsyncIterator[int], redacting: trio.CancelScope
) -> None:
    """Cancel what is still being redacted when a signal comes after we have said that it is."""
    with trio.move_on_after(SOON):
        async for _ in signals:
            pass  # nobody knows yet what it would leave out
    service.announce(STILL_REDACTING)
    await anext(signals)
    service.announce(END_LEFT_OUT)
    redacting.cancel()
