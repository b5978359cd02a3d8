"""
Hold a short conversation with an agent behind the real proxy, and never wait for ever.

Whatever the agent does is in the capture; what is returned here is only what a capture cannot show:
what was given up on, and how the end had to be helped.
"""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from acp_spy import __version__
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
    Without a `prompt` none is sent.
    """

    def __init__(
        self, command: Sequence[str], capture: str, timeout: float, folder: str, prompt: str = ""
    ) -> None:
        self._timeout = timeout
        self._folder = folder
        self._prompt = prompt
        self._outcome = Outcome()
        self._framer = Framer()
        self._bytes = self._lines = 0
        self._answers: dict[bytes, Response] = {}
        proxy = [sys.executable, "-m", "acp_spy", "--no-check", "-o", capture, "--", *command]
        self._proxy = subprocess.Popen(
            proxy,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            start_new_session=True,  # so that all that it has started can be ended with it
        )
        assert self._proxy.stdin is not None
        os.set_blocking(self._proxy.stdin.fileno(), False)  # an agent need not read
        self._streams = selectors.DefaultSelector()
        for stream in (self._proxy.stdout, self._proxy.stderr):
            self._streams.register(stream, selectors.EVENT_READ)  # type: ignore[arg-type] # pipes

    def run(self) -> Outcome:
        """Converse, end it, and return what the capture does not show."""
        try:
            self._converse()
            self._end()
        finally:
            with suppress(ProcessLookupError):  # children that the agent has left behind, too
                os.killpg(self._proxy.pid, signal.SIGKILL)
            self._outcome.status = self._proxy.wait()
            self._streams.close()
            for stream in (self._proxy.stdin, self._proxy.stdout, self._proxy.stderr):
                if stream:
                    stream.close()
        return self._outcome

    def _converse(self) -> None:
        result = self._ask(INITIALIZE, "initialize", _HANDSHAKE)
        if result is None:
            return
        if fields(result).get("protocolVersion") == _HANDSHAKE["protocolVersion"]:
            where = {"cwd": self._folder, "mcpServers": []}
            opened = self._ask(NEW_SESSION, "session/new", where)
            session = fields(opened).get("sessionId")
            if self._prompt and isinstance(session, str):
                block = {"type": "text", "text": self._prompt}
                self._ask(PROMPT, "session/prompt", {"sessionId": session, "prompt": [block]})
        if not self._outcome.given_up:
            self._listen(_SETTLE)

    def _ask(self, ident: bytes, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request; return its result, or `None` if there is none."""
        self._send({"id": int(ident), "method": method, "params": params})
        self._listen(self._timeout, ident)
        answer = self._answers.get(ident)
        if answer is None:
            if self._streams.get_map() and not self._outcome.given_up:
                self._outcome.given_up = "timeout"
            return None
        return None if answer.failed else decoded(answer.result)

    def _listen(self, seconds: float, until: bytes = b"") -> None:
        """Take in what comes, until an answer, the end of the streams, or the time is up."""
        end = time.monotonic() + seconds
        is_turn = until == PROMPT
        while until not in self._answers and self._streams.get_map():
            left = end - time.monotonic()
            if left <= 0 or self._outcome.given_up == "flood":
                return
            for key, _ in self._streams.select(left):
                chunk = os.read(key.fd, 65536)
                if not chunk:
                    self._streams.unregister(key.fileobj)
                elif key.fileobj is self._proxy.stderr:
                    self._outcome.stderr += chunk
                else:
                    self._receive(chunk)
                    end = time.monotonic() + seconds if is_turn else end  # a turn may be long
                self._bytes += len(chunk)
                self._lines += chunk.count(b"\n")
                if self._bytes > _MOST_BYTES or self._lines > _MOST_LINES:
                    self._outcome.given_up = "flood"

    def _receive(self, chunk: bytes) -> None:
        for line in self._framer.feed(chunk):
            message = read_message(line)
            if isinstance(message, Unreadable) and (glued := find_glued(line)):
                message = glued[1]  # a finding, and no reason to learn nothing else
            match message:
                case Response(id=ident) as answer:
                    self._answers.setdefault(ident, answer)
                case Request(id=ident, method="session/request_permission") if self._prompt:
                    options = items(fields(decoded(message.params)).get("options"))
                    self._send({"id": msgspec.Raw(ident), "result": _rejection(options)})
                case Request(id=ident):
                    self._send({"id": msgspec.Raw(ident), "error": _NO_SUCH_METHOD})
                case _:
                    pass  # the capture has it

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._proxy.stdin is not None
        # A proxy that has gone cannot be written to: the capture shows its end.
        with suppress(BrokenPipeError, BlockingIOError):
            self._proxy.stdin.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    def _end(self) -> None:
        """Close the agent's stdin, as a client that ends does; then insist."""
        assert self._proxy.stdin is not None
        self._proxy.stdin.close()
        if self._outcome.given_up != "flood":
            end = time.monotonic() + _EOF_PATIENCE
            self._listen(_EOF_PATIENCE)
            if self._has_ended(end - time.monotonic()):  # it may live on without its streams
                return
            self._outcome.forced = "SIGTERM"
            self._proxy.terminate()  # who passes it on
            end = time.monotonic() + _TERM_PATIENCE
            while time.monotonic() < end:
                self._drain()
                if self._has_ended():
                    return
        self._outcome.forced = "SIGKILL"
        self._outcome.unfinished = self._framer.close()

    def _drain(self) -> None:
        """Read on, without a limit: a proxy that cannot write cannot end."""
        for key, _ in self._streams.select(0.05):
            if not os.read(key.fd, 1 << 20):
                self._streams.unregister(key.fileobj)

    def _has_ended(self, patience: float = 0.0) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._proxy.wait(max(patience, 0.1))
        return self._proxy.returncode is not None


def _rejection(options: Sequence[Any]) -> dict[str, Any]:
    """Return the response to a permission request with these options: reject it."""
    for kind in ("reject_once", "reject_always"):
        for option in map(fields, options):
            if option.get("kind") == kind and option.get("optionId"):
                return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
    return {"outcome": {"outcome": "cancelled"}}
