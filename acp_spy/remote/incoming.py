"""What a client speaks on its connection: HTTP/1.1, or HTTP/2 with prior knowledge."""

import math
from collections.abc import Awaitable, Callable
from typing import Any

import trio

CHUNK = 64 * 1024
FIRST_BYTES = 60.0  # seconds that a connection may be silent at its beginning
_HTTP_2 = b"PRI * HTTP/2.0\r\n"


async def serve_connection(
    stream: trio.SocketStream,
    serve: Callable[[Any, bytes], Awaitable[None]],
    idle: float = math.inf,
    free: trio.Semaphore | None = None,
) -> None:
    """
    Call `serve` with a connection that speaks HTTP/1.1, and what was already read from it.

    For a client that speaks HTTP/2 that is done for each of its requests; its connection is closed
    after `idle` seconds without any. If requests take files, all but one at a time take a place of
    `free`.
    """
    start = await _first_bytes(stream)
    if start.startswith(_HTTP_2):
        from acp_spy.remote.http2_as_http1 import serve_http2

        await serve_http2(stream, start, serve, idle, free)
    elif start:
        await serve(stream, start)
    else:
        await trio.aclose_forcefully(stream)


async def _first_bytes(stream: trio.SocketStream) -> bytes:
    start = b""
    try:
        with trio.fail_after(FIRST_BYTES):
            while len(start) < len(_HTTP_2) and _HTTP_2.startswith(start):
                data = bytes(await stream.receive_some(CHUNK))
                if not data:
                    break
                start += data
    except (trio.BrokenResourceError, trio.TooSlowError, OSError):
        return b""
    return start
