"""
An agent on stdio that does what each request says, and keeps what it read and wrote.

`python agent.py FOLDER`: the first message has `_meta.case`, the name of its two files there.
"""

import json
import sys
from pathlib import Path


class Agent:
    """Reads, keeps and writes lines; `file` opens one of its two files."""

    def __init__(self, first, file):
        self._read_so_far = file("read")
        self._written = file("wrote")
        self._waiting = []  # lines that came while a response of the client was waited for
        self._asked = 0
        self._kept(first)
        self._waiting.append(first)

    def run(self):
        """Respond until stdin ends, or a request says so."""
        while line := (self._waiting.pop(0) if self._waiting else self._next()):
            message = json.loads(line)
            if "method" in message and self._does(message) is False:
                break

    def _next(self):
        return self._kept(sys.stdin.buffer.readline())

    def _kept(self, line):
        self._read_so_far.write(line)
        return line

    def _does(self, message):
        """Do what a message says; `False` if nothing is to follow."""
        params = message.get("params") or {}
        session = params.get("sessionId")
        do = (params.get("_meta") or {}).get("do") or {}
        for number in range(do.get("updates", 0)):
            update = {"n": number, "text": do["text"] * (1 + number % 7)}
            params = {"sessionId": session, "for": message.get("id"), "update": update}
            self._send({"method": "session/update", "params": params})
        if do.get("asks") and not self._asks(session):
            return False
        if "id" in message:
            result = {"protocolVersion": 1, "sessionId": do.get("session")}
            self._send({"id": message["id"], "result": result})
        return not do.get("exits")

    def _asks(self, session):
        """Ask the client for something; return whether it has responded."""
        self._asked += 1
        ident = f"a-{self._asked}"
        params = {"sessionId": session, "path": "/a"}
        self._send({"id": ident, "method": "fs/read_text_file", "params": params})
        while line := self._next():
            message = json.loads(line)
            if "method" not in message and message.get("id") == ident:
                return True
            self._waiting.append(line)
        return False

    def _send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self._written.write(line)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def main():
    """Begin with the first message, unless the client has gone already."""
    first = sys.stdin.buffer.readline()
    if first:
        case = json.loads(first)["params"]["_meta"]["case"]
        folder = Path(sys.argv[1])
        Agent(first, lambda what: (folder / f"{case}.{what}").open("ab", buffering=0)).run()


main()
