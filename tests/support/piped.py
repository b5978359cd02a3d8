"""Two peers in one process, with a pipeline between them."""

import asyncio

from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.wire.frame import Frame, Peer


class _Writer(asyncio.StreamWriter):
    """A stream writer, as the SDK wants to have one; it passes on each line at once."""

    def __init__(self, take):
        self._take, self._rest = take, b""

    def __del__(self): ...

    def write(self, data):
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line + b"\n")

    async def drain(self): ...
    def close(self): ...
    async def wait_closed(self): ...

    def is_closing(self):
        return False


class Piped:
    """A conversation: `records` are those of its capture, `complaints` the lines for stderr."""

    def __init__(self, **options):
        self.records, self.complaints, self._count = [], [], 0
        self.pipeline = Pipeline(make_stages(options), complain=self.complaints.append)

    async def converse(self, client, agent, talk=None):
        """Let the client do what it does, with the agent at the other end; return the outcome."""
        self._readers = {Peer.CLIENT: asyncio.StreamReader(), Peer.AGENT: asyncio.StreamReader()}
        failures = asyncio.Queue()
        running = []
        for peer, who in ((client, Peer.CLIENT), (agent, Peer.AGENT)):
            peer.failures = failures
            writer = _Writer(lambda line, who=who: self._take(who, line))
            running.append(asyncio.ensure_future(peer.run(self._readers[who], writer)))
            running[-1].add_done_callback(lambda task: _report(task, failures))
        talking = asyncio.ensure_future(talk(client) if talk else client.converse())
        failing = asyncio.ensure_future(failures.get())
        # A peer that fails ends the conversation, instead of leaving the other to wait.
        await asyncio.wait([talking, failing], return_when=asyncio.FIRST_COMPLETED)
        if not talking.done():
            talking.cancel()
            raise failing.result()
        failing.cancel()
        for reader in self._readers.values():
            reader.feed_eof()
        await asyncio.gather(*running)
        return talking.result()

    def _take(self, sender, line):
        self._count += 1
        self.pipeline.take(Frame(self._count, 0.0, sender, line))
        records, lines = self.pipeline.collect()
        self.records += records
        for to, raw in lines:
            self._readers[to].feed_data(raw)


def _report(task, failures):
    if not task.cancelled() and (error := task.exception()):
        failures.put_nowait(error)
