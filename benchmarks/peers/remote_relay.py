"""A relay of TCP connections that does nothing else, by trio. Prints its port."""

import sys

import trio


async def carry(source, sink):
    while data := await source.receive_some(65536):
        await sink.send_all(data)
    await sink.send_eof()


async def handle(client):
    target = await trio.open_tcp_stream("127.0.0.1", int(sys.argv[1]))
    async with target, client, trio.open_nursery() as nursery:
        nursery.start_soon(carry, client, target)
        nursery.start_soon(carry, target, client)


async def main():
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    print(listeners[0].socket.getsockname()[1], flush=True)

    async def guarded(client):
        try:
            await handle(client)
        except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    await trio.serve_listeners(guarded, listeners)


trio.run(main)
