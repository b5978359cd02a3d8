"""A stand-in for the HTTP API of a model, so that real agents can be run without one."""

import gzip
import json
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .apis import api_at
from .script import Call, reply

MODELS = ("stand-in", "gemini-2.5-pro", "gpt-5-codex", "kimi-k2")
COUNTED = {"input_tokens": 100, "totalTokens": 100}  # to those who have their tokens counted


class Handler(BaseHTTPRequestHandler):
    """Answers one request; `calls` and `log` are set by `serve`."""

    protocol_version = "HTTP/1.1"
    calls: Sequence[Call] = ()
    log: Path | None = None

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer({})

    def do_GET(self) -> None:
        self._note()
        listed = [{"id": name, "object": "model", "type": "model"} for name in MODELS]
        self._answer({"object": "list", "data": listed, "has_more": False})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        api = api_at(path)
        if api is None:
            self._note(body)
            self._answer(COUNTED)
            return
        asked = api.asked(body)
        answer = reply(asked, self.calls)
        self._note({"asked": repr(asked), "answer": repr(answer)})
        if not (body.get("stream") or "stream" in path):
            self._answer(api.whole(answer))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for name, data in api.events(answer):
                text = data if isinstance(data, str) else json.dumps(data)
                head = f"event: {name}\n" if name else ""
                self.wfile.write(f"{head}data: {text}\n\n".encode())
        except ConnectionError:
            return  # a turn that was cancelled: nobody listens any more

    def _body(self) -> Any:
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            return json.loads(data)
        except ValueError:
            return {}

    def _answer(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _note(self, what: Any = None) -> None:
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(json.dumps([self.command, self.path, what])[:4000] + "\n")


class Server(ThreadingHTTPServer):
    """One thread a request; none of them keeps the program alive."""

    daemon_threads = True


def server(port: int, calls: Sequence[Call], log: Path | None = None) -> Server:
    """Return a server on loopback; `calls` are what the work takes. What is asked goes to `log`."""
    handler = type("Scripted", (Handler,), {"calls": calls, "log": log})
    return Server(("127.0.0.1", port), handler)
