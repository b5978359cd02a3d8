"""Listen, relay every connection, and end with everything recorded: what `acp-spy http` runs."""

import signal
from collections.abc import Callable

import trio

from acp_spy.engine.driven import run
from acp_spy.engine.limits import make_room
from acp_spy.remote.checking import Checking
from acp_spy.remote.http1_relay import CHUNK, Http1Relay
from acp_spy.remote.service import Service

MOST_CONNECTIONS = 4096
_HTTP_2 = b"PRI * HTTP/2.0"  # so a client begins that knows beforehand what we speak
_FIRST_BYTES = 60.0  # seconds that a connection may be silent at its beginning


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
                            await _handle(stream, service)

                    nursery.start_soon(trio.serve_listeners, handle, listeners)
                    on_ready(listeners[0].socket.getsockname()[1])
                    async for _ in signals:
                        break
                    nursery.cancel_scope.cancel()
            service.conversations.close()
            others.cancel_scope.deadline = trio.current_time() + checking.patience

    run(main)


async def _handle(stream: trio.SocketStream, service: Service) -> None:
    try:
        with trio.fail_after(_FIRST_BYTES):
            start = bytes(await stream.receive_some(CHUNK))
    except (trio.BrokenResourceError, trio.TooSlowError, OSError):
        start = b""
    if start.startswith(_HTTP_2):
        service.complain_once("a client speaks HTTP/2 without TLS, which is not supported")
        start = b""
    if start:
        await service.guard_against_bugs(Http1Relay(stream, service, start).run)
    else:
        await trio.aclose_forcefully(stream)
