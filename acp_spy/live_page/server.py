"""
Serve the live page on this machine: what `acp-spy view --serve` runs.

The pages themselves have no data in them, and are given to everybody who asks for this server by
its right name. Whatever is of captures is below `/api/`, and needs the key (see `access.py`).
"""

import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import trio

from acp_spy.engine.driven import run
from acp_spy.errors import AcpSpyError
from acp_spy.live_page.access import Access, OwnPagesOnly
from acp_spy.live_page.capture_list import CaptureList
from acp_spy.live_page.find import find
from acp_spy.live_page.held_frames import act, as_shown
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.live_page.peer_user import is_stranger
from acp_spy.live_page.served_pages import captures_page, conversation_page
from acp_spy.middleware.holds.watching import Watch
from acp_spy.remote.addresses import Target
from acp_spy.remote.conversations import Conversations
from acp_spy.remote.exchange import Rules
from acp_spy.remote.http_server import ServedHttp, ServedRequest
from acp_spy.remote.listening import accept_all, places
from acp_spy.remote.service import Service
from acp_spy.secrets.redactor import Redactor
from acp_spy.view.page_data import to_json

HOST = "127.0.0.1"
LIST_PAUSE = 1.0  # seconds between two looks at the folder
PAUSE = 0.1  # seconds between two looks at a capture that grows
KEEP_ALIVE = 15.0  # seconds: an empty line says that the server is there
MOST_CONNECTIONS = 256
MOST_STREAMS = 64
FILES = 4  # of a connection: its own, the capture, and those of what watches the control socket
_READERS = 4  # threads
_SAFE = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
]
_NEW_LINK = "run `acp-spy view --serve` again, or press `o` in the console, and use the new link"
_JSON = [("content-type", "application/json"), *_SAFE]


class Unrecorded(Service):
    """What the connections share. Nothing that is served here is traffic, or recorded."""

    def __init__(self, port: int, complain: Callable[[str], None]) -> None:
        own = Target("http", HOST, port, "", "")
        guard = OwnPagesOnly(HOST, port=port)
        super().__init__(own, Conversations(_no_tap), Rules(), guard, complain)

    def observe(self, take: Callable[..., object], *args: Any) -> None:
        """Record nothing."""


def _no_tap() -> Any:
    raise AssertionError("nothing is recorded")


class PageServer:
    """Serves the pages of the captures in `folder`, and of the one at `named`."""

    def __init__(
        self, service: Service, access: Access, choices: Choices, folder: str, named: str = ""
    ) -> None:
        self._service = service
        self._access = access
        self._choices = choices
        self._folder = folder
        self._named = named
        self._readers = trio.CapacityLimiter(_READERS)
        self._streams = 0

    async def handle(self, stream: Any) -> None:
        """Serve one connection."""
        served = ServedHttp(stream, self._service, partial(self._respond, stream))
        await self._service.guard_against_bugs(served.run)

    async def _respond(self, stream: Any, request: ServedRequest) -> None:
        path = request.path.partition("?")[0]
        kind, _, name = path.removeprefix("/").removeprefix("api/").partition("/")
        if not path.startswith("/api/"):
            await self._serve_page(request, path)
        elif request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            await _refuse(request, 403, "a page of another site cannot see captures")
        elif kind == "enter" and request.method == "POST":
            await self._enter(stream, request)
        elif not self._access.admits(request.headers.get("authorization", "")):
            await _refuse(
                request, 403, "this page was not opened by the link of acp-spy", _NEW_LINK
            )
        elif kind == "captures" and request.method == "GET":
            await self._list(request)
        elif kind == "capture" and request.method == "GET":
            await self._follow(request, name)
        elif kind == "hold" and request.method == "POST":
            await self._hold(request, name)
        else:
            await _refuse(request, 404, "there is nothing at this address")

    async def _serve_page(self, request: ServedRequest, path: str) -> None:
        if path != "/" and not path.startswith("/capture/"):
            await request.respond(404, "there is nothing at this address", _SAFE)
        elif request.method != "GET":
            await request.respond(405, "use GET", [("allow", "GET"), *_SAFE])
        else:
            page, policy = captures_page() if path == "/" else conversation_page()
            kind = [("content-type", "text/html; charset=utf-8")]
            await request.respond_with(
                200, page, [*kind, ("content-security-policy", policy), *_SAFE]
            )

    async def _enter(self, stream: Any, request: ServedRequest) -> None:
        if await self._in_thread(partial(is_stranger, stream.socket)):
            self._service.complain_once("refused: another user of this machine used the link")
            why = "this link belongs to another user of this machine"
            await _refuse(request, 403, why, "run `acp-spy view --serve` yourself")
            return
        key = self._access.enter(request.headers.get("authorization", ""))
        if key:
            await request.respond_with(200, to_json({"key": key}).encode(), _JSON)
        elif key is None:
            why = "this link is wrong: a newer one replaced it, or it is of another run, or cut off"
            await _refuse(request, 403, why, _NEW_LINK)
        else:
            await _refuse(request, 403, "this link was used already: it works once", _NEW_LINK)

    async def _list(self, request: ServedRequest) -> None:
        async with self._stream(request) as send:
            if send is None:
                return
            captures = CaptureList(self._folder, masked=self._choices.masked)
            try:
                while True:
                    await send(*await self._in_thread(captures.take))
                    if not captures.has_more:
                        await trio.sleep(LIST_PAUSE)
            finally:
                captures.close()

    async def _follow(self, request: ServedRequest, name: str) -> None:
        path = find(self._folder, self._named, name)
        if path is None:
            await _refuse(request, 404, "there is no such capture")
            return
        async with self._stream(request) as send:
            if send is None:
                return
            live: LiveCapture | None = None
            try:
                live = await self._in_thread(partial(LiveCapture, path, self._choices))
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._watch, path, live, send)
                    while not live.is_over:
                        await send(*await self._in_thread(live.take))
                        if live.is_idle:
                            await trio.sleep(PAUSE)
                    nursery.cancel_scope.cancel()
            except* AcpSpyError as errors:
                error = errors.exceptions[0]
                assert isinstance(error, AcpSpyError)
                error = self._shown(error)
                await send(_error(error.message, error.hint))
            finally:
                if live:
                    live.close()

    async def _watch(self, path: str, live: LiveCapture, send: Callable[..., Any]) -> None:
        """Hold frames for the page, if the run can, and tell it which."""
        if not live.is_running:
            return
        changed = _Changed()
        watch = Watch(path, changed.set)
        watch.start()
        is_attached = False
        try:
            while not watch.now.end:
                await changed.wait()
                now = watch.now
                if now.is_attached or is_attached:  # else it has no control socket
                    is_attached = now.is_attached
                    is_masked = self._choices.masked
                    shown = partial(as_shown, now, live.masked, is_masked=is_masked)
                    await send(to_json({"held": await self._in_thread(shown)}))
        finally:
            watch.close()

    async def _hold(self, request: ServedRequest, name: str) -> None:
        path = find(self._folder, self._named, name)
        try:
            if path is None:
                raise AcpSpyError("there is no such capture")
            reply = await self._in_thread(partial(act, path, request.body))
        except AcpSpyError as error:
            shown = self._shown(error)
            await _refuse(request, 409, shown.message, shown.hint)
        else:
            await request.respond_with(200, to_json(reply).encode(), _JSON)

    def _shown(self, error: AcpSpyError) -> AcpSpyError:
        return error.without_secrets(Redactor().text) if self._choices.masked else error

    async def _in_thread(self, function: Callable[[], Any]) -> Any:
        """Run what reads; it takes no longer than a part of a second."""
        return await trio.to_thread.run_sync(function, limiter=self._readers)

    @asynccontextmanager
    async def _stream(self, request: ServedRequest) -> AsyncIterator[Any]:
        """
        Give a function that sends lines, and without any now and then a sign that we are here.

        The block is left when the page has gone.

        It is nothing if there are too many already; then the request has been answered.
        """
        if self._streams >= MOST_STREAMS:
            await _refuse(request, 503, "too many pages are open")
            yield None
            return
        lock = trio.Lock()
        last = trio.current_time()
        is_whole = True  # else what was sent last was cancelled, and nothing can follow it

        async def send(*lines: str) -> None:
            nonlocal last, is_whole
            if not lines and trio.current_time() - last < KEEP_ALIVE:
                return
            async with lock:
                is_whole = False
                await request.send("".join(f"{line}\n" for line in lines or ("",)).encode())
                is_whole = True
                last = trio.current_time()

        self._streams += 1
        is_there = True
        try:
            await request.stream(200, [("content-type", "application/x-ndjson"), *_SAFE])
            async with trio.open_nursery() as nursery:

                async def until_gone() -> None:
                    nonlocal is_there
                    await request.wait_until_gone()
                    is_there = False
                    nursery.cancel_scope.cancel()

                nursery.start_soon(until_gone)
                yield send
                nursery.cancel_scope.cancel()
            if is_there and is_whole:
                await request.end()
        finally:
            self._streams -= 1


class _Changed:
    """Something has changed, which another thread says and a task waits for."""

    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._event = trio.Event()

    def set(self) -> None:
        """Say it, from any thread."""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._wake, idempotent=True)

    def _wake(self) -> None:
        self._event.set()  # that of now, not of when it was said

    async def wait(self) -> None:
        """Wait until it has been said since the last time."""
        await self._event.wait()
        self._event = trio.Event()


async def _refuse(request: ServedRequest, status: int, why: str, hint: str = "") -> None:
    await request.respond_with(status, _error(why, hint).encode(), _JSON)


def _error(message: str, hint: str = "") -> str:
    return to_json({"error": {"message": message, "hint": hint}})


async def serve(
    port: int,
    make: Callable[[Service], PageServer],
    on_ready: Callable[[int], None],
    complain: Callable[[str], None],
) -> None:
    """
    Serve until it is cancelled.

    `make` makes the server, and `on_ready` is called with the port. Raises `OSError` if the port
    cannot be listened at.
    """
    listeners = await trio.open_tcp_listeners(port, host=HOST)
    taken = listeners[0].socket.getsockname()[1]
    server = make(Unrecorded(taken, complain))
    on_ready(taken)
    free = trio.Semaphore(places(MOST_CONNECTIONS, FILES))
    await accept_all(listeners, server.handle, free, complain)


def run_server(
    port: int,
    make: Callable[[Service], PageServer],
    on_ready: Callable[[int], None],
    complain: Callable[[str], None],
) -> None:
    """Do as `serve` does, until SIGINT or SIGTERM comes."""

    async def main() -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(serve, port, make, on_ready, complain)
                async for _ in signals:
                    break
                nursery.cancel_scope.cancel()

    run(main)
