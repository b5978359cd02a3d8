"""Listen, relay every connection, and end with everything recorded: what `acp-spy http` runs."""

import signal
from collections.abc import Callable
from functools import partial
from typing import Any

import trio

from acp_spy.engine.driven import run
from acp_spy.engine.process import make_room
from acp_spy.remote.checking import Checking
from acp_spy.remote.connector import Connector
from acp_spy.remote.http1_relay import Http1Relay
from acp_spy.remote.incoming import serve_connection
from acp_spy.remote.service import Service

MOST_CONNECTIONS = 4096


def run_http(
    service: Service,
    host: str,
    port: int,
    on_ready: Callable[[int], None],
    checking: Checking,
) -> None:
    """
    Relay until SIGINT or SIGTERM comes.

    `on_ready` is called with the port. Raises `OSError` if the address cannot be listened at.
    """
    make_room(3 * MOST_CONNECTIONS)  # a connection takes two, a conversation one

    async def main() -> None:
        listeners = await trio.open_tcp_listeners(port, host=host)
        async with trio.open_nursery() as others:
            checking.run_in(others)
            with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
                async with trio.open_nursery() as nursery:
                    places = trio.CapacityLimiter(MOST_CONNECTIONS)

                    async def handle(stream: trio.SocketStream) -> None:
                        async with places:
                            await service.guard_against_bugs(partial(relay, stream, service))

                    nursery.start_soon(trio.serve_listeners, handle, listeners)
                    on_ready(listeners[0].socket.getsockname()[1])
                    async for _ in signals:
                        break
                    nursery.cancel_scope.cancel()
            service.conversations.close()
            others.cancel_scope.deadline = trio.current_time() + checking.patience

    run(main)


async def relay(stream: Any, service: Service) -> None:
    """Relay one connection of a client: to one of the target, or one for each request."""
    async with trio.open_nursery() as nursery:
        connector = Connector(service, nursery)

        async def serve(stream: Any, start: bytes) -> None:
            await service.guard_against_bugs(Http1Relay(stream, service, connector, start).run)

        await serve_connection(stream, serve)
        nursery.cancel_scope.cancel()
