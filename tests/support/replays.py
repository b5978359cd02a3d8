"""
A live peer for replay's tests: the other side of the capture itself, with other names.

What stands here is written without a line of `acp_spy.replay`: frames are decoded, changed and
spelled anew, so that what a player sends can be compared with what it should have sent.
"""

import base64
import json
import re
from pathlib import Path

from support.processes import python

from acp_spy import Capture, Frame, Header, Peer
from acp_spy.capture.transcript import parse
from acp_spy.replay.options import Options
from acp_spy.replay.player import Player
from acp_spy.replay.script import Script

# Two sessions at once, everything that a client is asked for, noise, stderr, and a status.
RICH = r"""
    !! agent 1.0 is ready
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"ed","version":"1.0"}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project/sub","mcpServers":[]}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s-1"}}
    <- {"jsonrpc": "2.0", "result": {"sessionId": "s-2"}, "id": 2}
    -> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Fix /project/a.txt"}]}}
    -> {"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"s-2","prompt":[{"type":"text","text":"Hello"}]}}
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Read /project/a.txt"}}}
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-2", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}}}
    <- {"jsonrpc": "2.0", "id": 0, "method": "fs/read_text_file", "params": {"sessionId": "s-1", "path": "/project/a.txt"}}
    -> {"jsonrpc":"2.0","id":0,"result":{"content":"teh"}}
    <- {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": {"sessionId": "s-1", "toolCall": {"toolCallId": "call-1"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]}}
    <- {"jsonrpc": "2.0", "id": 4, "result": {"stopReason": "end_turn"}}
    -> {"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
    <- {"jsonrpc": "2.0", "id": 2, "method": "terminal/create", "params": {"sessionId": "s-1", "command": "make"}}
    -> {"jsonrpc":"2.0","id":2,"result":{"terminalId":"term-7"}}
    <- {"jsonrpc": "2.0", "id": 3, "method": "terminal/release", "params": {"sessionId": "s-1", "terminalId": "term-7"}}
    -> {"jsonrpc":"2.0","id":3,"result":{}}
    <- [info] done
    !! made in /project
    <- {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}
    -> {"jsonrpc":"2.0","id":5,"method":"session/set_mode","params":{"sessionId":"s-2","modeId":"ask"}}
    <- {"jsonrpc": "2.0", "id": 5, "result": {}}
    -> {"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"s-2","prompt":[{"type":"text","text":"Count"}]}}
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-2", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "1"}}}}
    -> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-2"}}
    <- {"jsonrpc": "2.0", "id": 6, "result": {"stopReason": "cancelled"}}
    -> EOF
    <~ bye
    == 3
"""

NAMES = ("sessionid", "threadid", "toolcallid", "terminalid", "messageid")


def capture_of(transcript: str, cwd: str = "/project") -> Capture:
    """Return the capture that a transcript stands for."""
    return Capture(Header(cwd=cwd), tuple(parse(transcript)))


def script_of(transcript: str, role: Peer = Peer.AGENT) -> Script:
    return Script.of(capture_of(transcript), role, "run.jsonl")


class Renamed:
    """
    A capture as it would have been with other request ids, other names and another folder.

    `live` is the side that is renamed: its request ids, the names that it was the first to use, and
    the folder. Ids change their JSON type, too.
    """

    def __init__(self, capture, live: Peer, cwd: str = "/somewhere/else") -> None:
        self.live = live
        self.cwd = (_cwd_of(capture, live), cwd)
        self.names = _names_of(capture, live)
        self.frames = [(frame.sender, self._renamed(frame)) for frame in capture.frames]

    def lines(self, sender: Peer) -> list[bytes]:
        return [line for peer, line in self.frames if peer is sender]

    def _renamed(self, frame: Frame) -> bytes:
        message = decoded(frame.raw)
        if not isinstance(message, dict) or not message.keys() & {"method", "result", "error"}:
            return frame.raw
        message = self._value(message, "")
        is_call, mine = "method" in message, frame.sender is self.live
        if "id" in message and is_call == mine:
            message["id"] = other_id(message["id"])
        return json.dumps(message).encode() + b"\n"

    def _value(self, value, key):
        if isinstance(value, dict):
            return {name: self._value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if value in self.names and (is_name(key) or key == "id" or len(value) > 8):
            return self.names[value]
        recorded, live = self.cwd
        if not recorded or recorded == "/":
            return value
        pattern = rf"(?<![\w.~-]){re.escape(recorded)}(?![\w~-]|\.\w)"
        return re.sub(pattern, live, value)


def decoded(raw: bytes):
    try:
        return json.loads(raw)
    except ValueError:
        return raw


def other_id(ident):
    return None if ident is None else f"<{ident}>" if isinstance(ident, int) else 7000 + len(ident)


def is_name(key: str) -> bool:
    return key.replace("_", "").lower().endswith(NAMES)


def _names_of(capture, live: Peer) -> dict[str, str]:
    """Return another name for each that the live side was the first to use."""
    names: set[str] = set()
    first: dict[str, Peer] = {}
    for frame in capture.frames:
        for key, value in _strings(decoded(frame.raw)):
            first.setdefault(value, frame.sender)
            if is_name(key):
                names.add(value)
    mine = [name for name, sender in first.items() if sender is live and name in names]
    return {name: f"live-{number}-{name[-4:]}" for number, name in enumerate(mine, start=1)}


def _strings(value, key=""):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)
    elif isinstance(value, str):
        yield key, value


def _cwd_of(capture, live: Peer) -> str:
    """Return the folder of the first session; without one, a mock client takes the agent's."""
    shown = [
        value
        for frame in capture.frames
        for key, value in _strings(decoded(frame.raw))
        if key == "cwd" and frame.sender is Peer.CLIENT
    ]
    fallback = capture.header.cwd if live is Peer.AGENT else ""
    return (shown[0].rstrip("/") or "/") if shown else fallback


class Play:
    """A player and everything that it said, with a clock that jumps to wherever it waits for."""

    def __init__(self, script: Script, options: Options | None = None, cwd: str = "") -> None:
        self.player = Player(script, options, cwd)
        self.now = 100.0
        self.said = []
        self.player.begin(self.now)
        self._take()

    def hear(self, *lines: bytes) -> "Play":
        for line in lines:
            self.player.receive(line, self.now)
            self._take()
        return self

    def end(self) -> "Play":
        self.player.end(self.now)
        self._take()
        return self

    def wait(self) -> "Play":
        """Let time pass until the player waits for nothing but the live peer."""
        while not self.player.is_over and (at := self.player.wake_at) is not None:
            self.now = max(self.now, at)
            self._take()
        return self

    def _take(self) -> None:
        self.said += self.player.take(self.now)

    @property
    def wire(self) -> list[bytes]:
        return [said.data for said in self.said if said.stream == "wire"]


def play(script: Script, lines, options: Options | None = None, cwd: str = "") -> Play:
    """Send all lines and the end of them, and let the play run to its own."""
    return Play(script, options, cwd).hear(*lines).end().wait()


# Plays one side of a capture by count: for each line of its own it waits until it has got as many
# lines as had come before it. It looks at nothing. `r` says that a line is to be read, `w` what is
# to be written. The status to exit with comes last; a client, `c`, closes its end before it reads
# the rest, an agent, `a`, after.
BYTES = python(
    """
    import base64, os, sys
    status = 0
    for line in open(sys.argv[1]):
        what, _, data = line.strip().partition(" ")
        if what == "r":
            if not sys.stdin.buffer.readline():
                sys.exit(90)
        elif what == "w":
            sys.stdout.buffer.write(base64.b64decode(data))
            sys.stdout.buffer.flush()
        else:
            status = int(data)
    if what == "c":
        os.close(1)
    while sys.stdin.buffer.read(65536):
        pass
    os._exit(status)
    """
)


def bytes_peer(frames, sender: Peer, path: Path, status: int = 0) -> list[str]:
    """Return the command line of a program that plays `sender`; `frames` are (sender, bytes)."""
    steps = [
        f"w {base64.b64encode(raw).decode()}" if peer is sender else "r"
        for peer, raw in frames
        if raw.endswith(b"\n") or peer is sender
    ]
    while steps and steps[-1] == "r":  # what comes after its last word is read to the end anyway
        steps.pop()
    path.write_text("\n".join([*steps, f"{sender.value[0]} {status}"]))
    return [*BYTES, str(path)]
