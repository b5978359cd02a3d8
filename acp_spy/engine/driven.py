"""What we do by trio: run, be interrupted, and carry without holding up anybody."""

from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import trio
from trio.lowlevel import checkpoint, checkpoint_if_cancelled, wait_readable

from acp_spy.engine.carrier import Carrier
from acp_spy.engine.work import Work

Args = TypeVarTuple("Args")


def run(function: Callable[[*Args], Awaitable[None]], *args: *Args) -> None:
    """Run `function` by trio. One error is raised as itself, an interruption before any other."""
    try:
        trio.run(function, *args)
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt):
            raise KeyboardInterrupt from None
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from None


async def carry(work: Work) -> None:
    """Carry until it is over."""
    while not work.is_over:
        with trio.move_on_after(work.patience) as patience:
            await something_to_carry(work.carrier)
        if not patience.cancelled_caught:  # else something is due, which must not wait longer
            # Ctrl-C, if it is pending: it ends the client as well, whose stream then ends early.
            await checkpoint_if_cancelled()
            work.carrier.carry()
        work.do_due(silent=patience.cancelled_caught)


async def something_to_carry(carrier: Carrier) -> None:
    """Wait until there is something to do for the carrier."""
    if carrier.always_ready:
        await checkpoint()
    elif (descriptor := carrier.fileno()) >= 0:
        await wait_readable(descriptor)
    else:  # no epoll: a thread waits by `poll`, which cannot be waited for itself
        while not await trio.to_thread.run_sync(carrier.is_woken):
            pass  # it is not abandoned when cancelled: two threads may not wait by one `poll`
