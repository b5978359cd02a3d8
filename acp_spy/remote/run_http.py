"""Listen, relay every connection, and end with everything recorded: what `acp-spy http` runs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import trio

from acp_spy.engine.driven import run
from acp_spy.engine.process import make_room
from acp_spy.remote.checking import Checking
from acp_spy.remote.connector import Connector
from acp_spy.remote.conversations import MOST_IDLE
from acp_spy.remote.http1_relay import Http1Relay
from acp_spy.remote.incoming import serve_connection
from acp_spy.remote.listening import accept_all, listen, places
from acp_spy.remote.service import Service
from acp_spy.remote.until_signal import until_signal

MOST_CONNECTIONS = 4096


def run_http(
    service: Service,
    host: str,
    port: int,
    on_ready: Callable[[int], None],
    checking: Checking,
) -> None:
    """
    Relay until a signal ends us.

    `on_ready` is called with the port. Raises `OSError` if the address cannot be listened at.
    """
    # A connection takes two, its conversation one, and so do one that nobody uses any more, and one
    # that has ended and is being redacted.
    make_room(5 * MOST_CONNECTIONS)
    most = places(MOST_CONNECTIONS, files=5)
    service.conversations.most_idle = min(MOST_IDLE, most)
    _keep_freed_memory()

    async def main() -> None:
        free = trio.Semaphore(most)
        listeners = await listen(host, port)
        async with (
            until_signal(service, checking) as signals,
            trio.open_nursery() as nursery,
        ):
            handle = partial(accepted, service, free)
            nursery.start_soon(accept_all, listeners, handle, free, service.complain_once)
            on_ready(listeners[0].socket.getsockname()[1])
            await anext(signals)
            nursery.cancel_scope.cancel()

    run(main)


async def accepted(service: Service, free: trio.Semaphore, stream: trio.SocketStream) -> None:
    """Relay a connection that was accepted."""
    service.keep_alive.add(stream)
    await service.guard_against_bugs(partial(relay, stream, service, free))


async def relay(stream: Any, service: Service, free: trio.Semaphore | None = None) -> None:
    """
    Relay one connection of a client: to one of the target, or one for each request.

    `free` are the places for connections: each takes as many files as one of ours.
    """
    async with trio.open_nursery() as nursery:
        connector = Connector(service, nursery)

        async def serve(stream: Any, start: bytes) -> None:
            await service.guard_against_bugs(Http1Relay(stream, service, connector, start).run)

        await serve_connection(stream, serve, free=free)
        nursery.cancel_scope.cancel()


def _keep_freed_memory() -> None:
    """
    Let the C library keep what is freed after each piece of a burst, for the next one.

    glibc returns more than 128 KiB to the kernel at once, and new pages take longer than what they
    are needed for. It keeps more after a large block was freed. Nothing ever touches this one.
    """
    bytes(8 * 1024 * 1024)
