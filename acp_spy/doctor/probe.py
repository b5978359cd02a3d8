"""
Hold a short conversation with an agent behind the real proxy, and never wait for ever.

Whatever the agent does is in the capture; what is returned here is only what a capture cannot show:
what was given up on, and how the end had to be helped.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import trio

from acp_spy import __version__
from acp_spy.doctor.after_death import after_our_death
from acp_spy.engine.driven import run
from acp_spy.lint.rules.framing.late_exit_after_eof import PATIENCE
from acp_spy.wire.framing import Framer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable, find_glued, read_message
from acp_spy.wire.values import decoded, fields, items

# Ids of the requests.
INITIALIZE, NEW_SESSION, PROMPT = b"0", b"1", b"2"
_HANDSHAKE = {
    "protocolVersion": 1,
    "clientCapabilities": {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
        "auth": {"terminal": False},
        "elicitation": {},
        "session": {"configOptions": {}},
    },
    "clientInfo": {"name": "acp-spy-doctor", "title": "acp-spy doctor", "version": __version__},
}
_NO_SUCH_METHOD = {"code": -32601, "message": "acp-spy doctor offers no methods"}
_SETTLE = 0.5  # what an agent has to say after its last answer, it says soon
_EOF_PATIENCE = PATIENCE + 0.5  # long enough that the rule about it can find it
_TERM_PATIENCE = 2.0
_MOST_BYTES, _MOST_LINES = 16 << 20, 10_000  # no agent has as much to say to a greeting
_MOST_OF_A_TURN = 20  # times as much


class Outcome(msgspec.Struct):
    """
    What the capture does not show.

    `given_up` is why the conversation was broken off, if it was: `timeout`, or `flood` for an agent
    that writes without end. `forced` is the signal that had to end it. `stderr` is all that came
    on the proxy's stderr, the agent's and its own. `unfinished` is what was left of a line on
    stdout when both were killed: the proxy records a line when it ends, or the stream does.
    """

    given_up: str = ""
    forced: str = ""
    stderr: bytes = b""
    unfinished: bytes = b""
    status: int = 0


class Probe:
    """
    The conversation with one agent, started in `folder`.

    `timeout` is for each response, in seconds; while a prompt is pending, for each message.
    Without a `prompt` none is sent. It is recorded to `descriptor`: that of a file, because another
    file may be at the path of the `capture` by then.
    """

    def __init__(
        self,
        command: Sequence[str],
        capture: tuple[str, int],
        timeout: float,
        folder: str,
        prompt: str = "",
    ) -> None:
        self.command, self.timeout = list(command), timeout
        self.capture, self.descriptor = capture
        given = f"/dev/fd/{self.descriptor}"
        proxy = (sys.executable, "-P", "-m", "acp_spy", "--no-check", "-o", given)
        self._proxy = [*proxy, "--", *command]
        self._folder = folder
        self._prompt = prompt
        self._outcome = Outcome()
        self.waiting_for = "the agent to start"  # what, if this is interrupted
        self._framer = Framer()
        self._stderr = bytearray()
        self._asked: set[bytes] = set()
        self._answers: dict[bytes, Response] = {}
        self._bytes_left, self._lines_left = float(_MOST_BYTES), float(_MOST_LINES)

    def run(self) -> Outcome:
        """Converse, end it, and return what the capture does not show."""
        run(self._run)
        self._outcome.stderr = bytes(self._stderr)
        return self._outcome

    async def _run(self) -> None:
        process = await trio.lowlevel.open_process(
            self._proxy,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            pass_fds=[self.descriptor],
            start_new_session=True,  # so that all that it has started can be ended with it
        )
        try:
            with after_our_death('kill -9 "-$1"', str(process.pid)):
                await self._examine(process)
        finally:
            _kill_all(process)
            with trio.CancelScope(shield=True):  # it is dead: only its status is waited for
                self._outcome.status = await process.wait()

    async def _examine(self, process: trio.Process) -> None:
        async with trio.open_nursery() as nursery:
            self._start_tasks(nursery, process)
            with self._until_flood:
                await self._converse()
                await self._end(process)
            if self._outcome.given_up == "flood":
                self._mark_killed()
                _kill_all(process)  # before the streams are closed: it would record that
            nursery.cancel_scope.cancel()

    def _start_tasks(self, nursery: trio.Nursery, process: trio.Process) -> None:
        """Read and write by tasks of their own: an agent need not read, nor stop writing."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._until_flood = trio.CancelScope()
        self._writing = trio.CancelScope()
        self._outbox, unsent = trio.open_memory_channel[bytes](float("inf"))
        self._news = trio.lowlevel.ParkingLot()  # of the agent's stdout
        self._open_streams = 2
        nursery.start_soon(self._write, process.stdin, unsent)
        nursery.start_soon(self._read, process.stdout, self._receive)
        nursery.start_soon(self._read, process.stderr, self._stderr.extend)

    async def _write(
        self, stream: trio.abc.SendStream, unsent: trio.MemoryReceiveChannel[bytes]
    ) -> None:
        async with stream:
            # A proxy that has gone cannot be written to: the capture shows its end.
            with self._writing, suppress(trio.BrokenResourceError):
                async for line in unsent:
                    await stream.send_all(line)

    async def _read(self, stream: trio.abc.ReceiveStream, take: Callable[[bytes], None]) -> None:
        async with stream:
            async for chunk in stream:
                if not self._outcome.forced:  # after that it is read only so that it can end
                    take(bytes(chunk))
                self._bytes_left -= len(chunk)
                self._lines_left -= chunk.count(b"\n")
                if min(self._bytes_left, self._lines_left) < 0:
                    self._outcome.given_up = "flood"
                    self._until_flood.cancel()
                    await trio.sleep_forever()  # the stream stays open until it has been killed
        self._open_streams -= 1
        self._news.unpark_all()

    async def _converse(self) -> None:
        result = await self._ask(INITIALIZE, "initialize", _HANDSHAKE)
        if result is None:
            return
        if fields(result).get("protocolVersion") == _HANDSHAKE["protocolVersion"]:
            where = {"cwd": self._folder, "mcpServers": []}
            opened = await self._ask(NEW_SESSION, "session/new", where)
            session = fields(opened).get("sessionId")
            if self._prompt and isinstance(session, str):
                block = {"type": "text", "text": self._prompt}
                self._bytes_left *= _MOST_OF_A_TURN
                self._lines_left *= _MOST_OF_A_TURN
                await self._ask(PROMPT, "session/prompt", {"sessionId": session, "prompt": [block]})
        if not self._outcome.given_up:
            await self._listen(_SETTLE)

    async def _ask(self, ident: bytes, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request; return its result, or `None` if there is none."""
        self._asked.add(ident)
        self._send({"id": int(ident), "method": method, "params": params})
        self.waiting_for = f"the response to `{method}`"
        await self._listen(self.timeout, ident)
        answer = self._answers.get(ident)
        if answer is None:
            if self._open_streams:
                self._outcome.given_up = "timeout"
            return None
        return None if answer.failed else decoded(answer.result)

    async def _listen(self, seconds: float, until: bytes = b"") -> None:
        """Wait for an answer, the end of the streams, or until the time is up."""
        with trio.move_on_after(seconds) as patience:
            while until not in self._answers and self._open_streams:
                await self._news.park()
                if until == PROMPT:  # a turn may be long
                    patience.deadline = trio.current_time() + seconds

    def _receive(self, chunk: bytes) -> None:
        for line in self._framer.feed(chunk):
            message = read_message(line)
            if isinstance(message, Unreadable) and (glued := find_glued(line)):
                message = glued[1]  # a finding, and no reason to learn nothing else
            match message:
                case Response(id=ident) as answer if ident in self._asked:
                    self._answers.setdefault(ident, answer)
                case Request(id=ident, method="session/request_permission") if self._prompt:
                    options = items(fields(decoded(message.params)).get("options"))
                    self._send({"id": msgspec.Raw(ident), "result": _rejection(options)})
                case Request(id=ident):
                    self._send({"id": msgspec.Raw(ident), "error": _NO_SUCH_METHOD})
                case _:
                    pass  # the capture has it
        self._news.unpark_all()

    def _send(self, message: Mapping[str, Any]) -> None:
        self._outbox.send_nowait(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    async def _end(self, process: trio.Process) -> None:
        """Close the agent's stdin, as a client that ends does; then insist."""
        self._writing.cancel()
        self.waiting_for = "the agent to exit"
        if await self._has_ended(process, _EOF_PATIENCE):
            return
        self._outcome.forced = "SIGTERM"
        self._bytes_left = self._lines_left = float("inf")  # who cannot write cannot end
        process.terminate()  # the proxy, which passes it on
        if not await self._has_ended(process, _TERM_PATIENCE):
            self._mark_killed()

    async def _has_ended(self, process: trio.Process, patience: float) -> bool:
        """Whether the proxy ends in time; all that it has written is read, then."""
        with trio.move_on_after(patience):
            await process.wait()
            while self._open_streams:
                await self._news.park()
        return process.returncode is not None

    def _mark_killed(self) -> None:
        self._outcome.forced = "SIGKILL"
        self._outcome.unfinished = self._framer.close()


def _kill_all(process: trio.Process) -> None:
    """Kill the proxy and all that it has started, children that the agent has left behind, too."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _rejection(options: Sequence[Any]) -> dict[str, Any]:
    """Return the response to a permission request with these options: reject it."""
    for kind in ("reject_once", "reject_always"):
        for option in map(fields, options):
            if option.get("kind") == kind and option.get("optionId"):
                return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
    return {"outcome": {"outcome": "cancelled"}}
