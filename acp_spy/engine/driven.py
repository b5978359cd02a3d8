"""A carrier as trio drives it: wait without holding up anybody, then carry."""

import trio
from trio.lowlevel import checkpoint, wait_readable

from acp_spy.engine.carrier import Carrier


async def something_to_carry(carrier: Carrier) -> None:
    """Wait until there is something to do for the carrier."""
    if carrier.is_always_ready:
        await checkpoint()
    elif (descriptor := carrier.fileno()) >= 0:
        await wait_readable(descriptor)
    else:  # no epoll: a thread waits by `poll`, which cannot be waited for itself
        await trio.to_thread.run_sync(carrier.wait, abandon_on_cancel=True)
