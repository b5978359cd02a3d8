"""The bare trio relay: what a straightforward proxy costs that appends raw bytes to a file."""

import os
import subprocess
import sys

import trio


async def carry(source, sink, log):
    async with sink:
        async for chunk in source:
            await sink.send_all(chunk)
            os.write(log, chunk)


async def main(path, command):
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    agent = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(carry, trio.lowlevel.FdStream(0), agent.stdin, log)
        await carry(agent.stdout, trio.lowlevel.FdStream(1), log)
        nursery.cancel_scope.cancel()
    return await agent.wait()


sys.exit(trio.run(main, sys.argv[1], sys.argv[2:]))
