"""Connections are accepted as there are files for them, and what hinders that is said once."""

import errno
import socket
from functools import partial
from types import SimpleNamespace

import pytest
import trio
from trio.testing import MockClock

from acp_spy.live_page import server
from acp_spy.middleware.holds.server import Server
from acp_spy.remote.listening import accept_all


def test_that_there_is_no_file_left_is_said_once_until_there_is_one(monkeypatch):
    accept = trio.SocketListener.accept
    failures = [errno.EMFILE, errno.EMFILE, errno.ENFILE, 0, errno.EMFILE, 0]
    complaints = []

    async def fail_first(listener):
        if number := failures.pop(0):
            raise OSError(number, "no room")
        return await accept(listener)

    monkeypatch.setattr(trio.SocketListener, "accept", fail_first)

    async def main():
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:

            async def handle(stream):
                await stream.send_all(b"here")

            free = trio.Semaphore(1)
            nursery.start_soon(accept_all, listeners, handle, free, complaints.append)
            for _ in range(2):
                async with await trio.open_tcp_stream("127.0.0.1", port) as client:
                    assert await client.receive_some() == b"here"
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    text = "cannot accept a connection: {}; trying again"
    files, system = "Too many open files", "Too many open files in system"
    assert complaints == [text.format(files), text.format(system), text.format(files)]


def serve_pages(complain):
    made = SimpleNamespace(handle=None)
    return partial(server.serve, 0, lambda _service: made, lambda _port: None, complain)


def serve_viewers(complain):
    listening = socket.create_server(("127.0.0.1", 0))
    stage = SimpleNamespace(pipeline=SimpleNamespace(complain=complain))
    return partial(Server(None)._serve, listening, stage)


@pytest.mark.parametrize("serving", [serve_pages, serve_viewers])
def test_nothing_else_is_said_about_it(serving, monkeypatch, capsys):
    """What trio has for it logs a traceback ten times a second, to stderr."""
    complaints, attempts, has_tried = [], [], trio.Event()

    async def is_readable(_socket):
        await trio.lowlevel.checkpoint()

    async def fail(_listener):
        attempts.append("accept")
        if len(attempts) == 3:
            has_tried.set()
        raise OSError(errno.EMFILE, "no room")

    monkeypatch.setattr(trio.SocketListener, "accept", fail)
    monkeypatch.setattr(trio.lowlevel, "wait_readable", is_readable)

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serving(complaints.append))
            await has_tried.wait()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert len(complaints) == 1
    assert capsys.readouterr().err == ""
