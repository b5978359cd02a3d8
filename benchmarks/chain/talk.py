"""The client: it sends what its case says, reads as that says, and keeps what it got."""

import json
import signal
from collections import Counter
from contextlib import suppress

import trio

from benchmarks.chain.case import Case
from benchmarks.chain.network import GONE

PATIENCE = 25.0  # seconds without anything new


class Talk:
    """The client's side of a conversation."""

    def __init__(self, case: Case, program: trio.Process):
        self.case = case
        self.program = program
        self.sent: list[bytes] = []
        self.got: list[bytes] = []
        self.expected: set[str] = set()
        self.answered: Counter[str] = Counter()
        self._changed = trio.Event()
        self._rest = b""
        self.is_cut = False
        self.has_program_left = False
        self._has_closed = False
        self._writing = trio.Lock()

    async def run(self) -> None:
        """Send all messages, and end as the case says."""
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._read)
            with suppress(*GONE):
                await self._talk()
            async with self._writing:
                self._has_closed = True
                await self.program.stdin.aclose()

    async def _talk(self) -> None:
        case = self.case
        for number, message in enumerate(case.requests):
            await self.send(message)
            is_setup = message["method"] in ("initialize", "session/new")
            if is_setup and not await self._until(message["id"]):
                return
            if case.ends == "signal" and number > case.random.randint(0, 8):
                break
            if case.ends == "deaf" and number > 2:
                await self.program.stdout.aclose()
                case.reads = "never"
                return
            if (
                case.random.random() < 0.3
                and "id" in message
                and not await self._until(message["id"])
            ):
                return
        if case.ends == "signal":
            await trio.sleep(case.random.random() * 0.3)
            self.program.send_signal(case.random.choice((signal.SIGTERM, signal.SIGINT)))
        elif case.ends == "orderly":
            for ident in list(self.expected):
                if not await self._until_key(ident):
                    return

    async def send(self, message: dict) -> None:
        """Write a message, in one or more pieces."""
        line = self.case.line(message)
        if "id" in message and "method" in message:
            self.expected.add(json.dumps(message["id"]))
        start = 0
        async with self._writing:
            self.sent.append(line.strip())
            while start < len(line):
                size = self.case.random.choice((1, 1000, 10**6, 10**6))
                await self.program.stdin.send_all(line[start : start + size])
                start += size

    async def _answer(self, ident: str) -> None:
        with suppress(*GONE):
            await self.send({"jsonrpc": "2.0", "id": ident, "result": {"content": "a"}})

    async def _until(self, ident) -> bool:
        return await self._until_key(json.dumps(ident))

    async def _until_key(self, key: str) -> bool:
        while not self.answered[key]:
            self._changed = trio.Event()
            with trio.move_on_after(PATIENCE) as waiting:
                await self._changed.wait()
            if waiting.cancelled_caught or self.has_program_left:
                return bool(self.answered[key])
        return True

    async def _read(self) -> None:
        try:
            while True:
                if self.case.reads == "slowly":
                    await trio.sleep(0.002)
                elif self.case.reads == "late" and self.got:
                    await trio.sleep(self.case.random.choice((0, 0, 0, 1.5)))
                size = 4000 if self.case.reads == "slowly" else 65536
                data = await self.program.stdout.receive_some(size)
                if not data:
                    self.has_program_left = not self._has_closed
                    break
                await self._take(bytes(data))
        except GONE:
            pass
        self.is_cut = bool(self._rest)
        self._changed.set()

    async def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.got.append(line)
            message = json.loads(line)
            if "method" not in message:
                self.answered[json.dumps(message["id"])] += 1
            elif "id" in message:
                self._nursery.start_soon(self._answer, message["id"])
        self._changed.set()
        self._changed = trio.Event()
