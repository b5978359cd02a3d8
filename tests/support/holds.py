"""A pipeline that holds frames, whose viewers and peers the test plays."""

import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest
import trio
from support.processes import DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Delivery, Header
from acp_spy.middleware.holds import client
from acp_spy.middleware.holds.control import Control, Viewer
from acp_spy.middleware.holds.server import Server
from acp_spy.middleware.holds.stage import HoldStage
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.wire.frame import Frame, Peer

Message = dict[str, Any]
FILTER = ["method:session/*"]


def message(**fields: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **fields}) + b"\n"


def update(session: str = "s1", text: str = "x") -> bytes:
    return message(method="session/update", params={"sessionId": session, "text": text})


def request(ident: int = 1, session: str = "s1") -> bytes:
    return message(id=ident, method="session/prompt", params={"sessionId": session})


class Bench:
    """The pipeline; `got` is what each peer has received, `records` what became of frames."""

    def __init__(
        self,
        *,
        tokens: list[str] = FILTER,
        timeout: float = 60.0,
        beyond: Sequence[Stage] = (),
    ) -> None:
        self.complaints: list[str] = []
        self.tasks: list[Callable[[], Awaitable[None]]] = []
        self.time = 0.0
        self.stage = HoldStage(tokens, timeout)
        self.pipeline = Pipeline([self.stage, *beyond], lambda: self.time, self.complaints.append)
        self.control = Control(self.stage)
        self.pipeline.begin(self.tasks.append, trio.sleep)
        self.records: list[tuple[int, str]] = []
        self.got: dict[Peer, list[bytes]] = {Peer.CLIENT: [], Peer.AGENT: []}
        self.messages: list[Message] = []
        self.viewer = Viewer(self.messages.append)
        self.control.join(self.viewer)
        self._seq = 0
        self._asked = 0

    def attach(self) -> "Bench":
        self.ask("attach")
        self.messages.clear()
        return self

    def send(self, sender: Peer, raw: bytes) -> int:
        self._seq += 1
        self.pipeline.take(Frame(self._seq, self.time, sender, raw))
        self.collect()
        return self._seq

    def client(self, raw: bytes) -> int:
        return self.send(Peer.CLIENT, raw)

    def agent(self, raw: bytes) -> int:
        return self.send(Peer.AGENT, raw)

    def collect(self) -> None:
        records, lines = self.pipeline.collect()
        self.records += [(r.seq, r.action) for r in records if isinstance(r, Delivery)]
        for to, raw in lines:
            self.got[to].append(raw)

    def ask(self, do: str, **more: Any) -> Message:
        self._asked += 1
        line = msgspec.json.encode({"id": self._asked, "do": do, **more})
        self.control.take(self.viewer, line)
        self.collect()
        found = [each for each in self.messages if each.get("id") == self._asked]
        # As it is sent: everything in it can be encoded.
        reply: Message = msgspec.json.decode(msgspec.json.encode(found[-1]))
        return reply

    def events(self) -> list[str]:
        return [each["event"] for each in self.messages if "event" in each]


class Run:
    """A bench with a real control socket, in a thread; `sees` waits for what the bench has then."""

    def __init__(self, capture: Path, tokens: list[str] = FILTER) -> None:
        capture.write_bytes(encode([Header()]))
        self.capture = str(capture)
        self._tokens = tokens
        self._is_open, self._end = threading.Event(), trio.Event()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=trio.run, args=(self._main,))

    def __enter__(self) -> Self:
        self._patience = pytest.MonkeyPatch()  # of a viewer, on a busy machine
        self._patience.setattr(client, "_PATIENCE", DEADLINE)
        self._thread.start()
        self._is_open.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._patience.undo()

    def end(self) -> None:
        """End the run, as if the agent had exited."""
        if self._thread.is_alive():
            self._token.run_sync_soon(self._end.set)
            self._thread.join()

    def client(self, raw: bytes) -> int:
        return self._in_thread(lambda: self.bench.client(raw))

    def agent(self, raw: bytes) -> int:
        return self._in_thread(lambda: self.bench.agent(raw))

    def burst(self, lines: Sequence[bytes]) -> None:
        """Have the agent send all of this at once."""
        self._in_thread(lambda: [self.bench.agent(line) for line in lines])

    def says(self, event: Any) -> None:
        """Tell the viewers something."""
        self._in_thread(lambda: self.bench.stage.on_event(event))

    def time_out(self) -> None:
        """Let go of everything, as if it had been held for long enough."""
        self._in_thread(lambda: self.bench.stage._release_all("timeout"))

    def sees(self, is_so: Callable[[Bench], Any]) -> None:
        """Wait until something is so."""
        with self._changed:
            assert self._changed.wait_for(lambda: is_so(self.bench), DEADLINE)

    def _in_thread(self, act: Callable[[], Any]) -> Any:
        return trio.from_thread.run_sync(act, trio_token=self._token)

    async def _main(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self.bench = bench = Bench(tokens=self._tokens)
        bench.pipeline.capture = self.capture
        bench.pipeline.on_output = self._collect
        for name in ("take", "leave"):
            setattr(bench.control, name, self._noticed(getattr(bench.control, name)))
        async with trio.open_nursery() as nursery:
            bench.pipeline.start = lambda _stage, task: nursery.start_soon(task)
            Server(bench.control).start(bench.stage)
            self._is_open.set()
            await self._end.wait()
            bench.pipeline.end()
            nursery.cancel_scope.cancel()

    def _noticed(self, act: Callable[..., None]) -> Callable[..., None]:
        def acts(*given: Any) -> None:
            act(*given)
            self._collect()

        return acts

    def _collect(self) -> None:
        with self._changed:
            self.bench.collect()
            self._changed.notify_all()
