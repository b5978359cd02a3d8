"""What we do by trio: run, be interrupted, and wait for a carrier without holding up anybody."""

from collections.abc import Awaitable, Callable
from typing import TypeVarTuple

import trio
from trio.lowlevel import checkpoint, wait_readable

from acp_spy.engine.carrier import Carrier

Args = TypeVarTuple("Args")


def run(function: Callable[[*Args], Awaitable[None]], *args: *Args) -> None:
    """Run `function` by trio. An interruption is one, in however many tasks it has come."""
    is_interrupted = False
    try:
        trio.run(function, *args)
    except* KeyboardInterrupt:
        is_interrupted = True
    if is_interrupted:
        raise KeyboardInterrupt


async def something_to_carry(carrier: Carrier) -> None:
    """Wait until there is something to do for the carrier."""
    if carrier.is_always_ready:
        await checkpoint()
    elif (descriptor := carrier.fileno()) >= 0:
        await wait_readable(descriptor)
    else:  # no epoll: a thread waits by `poll`, which cannot be waited for itself
        await trio.to_thread.run_sync(carrier.wait, abandon_on_cancel=True)
