"""
A stdio agent, offered over HTTP and WebSocket: what `acp-spy serve` runs.

Each connection has a process of its own. Over HTTP a message of the agent goes to the stream of its
session, or to that of the connection, and waits there until somebody reads it. While a reader is
behind, the agent is read no further: it waits, as it would for a client at the end of its pipe.
"""

import math
import os
import secrets
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any

import h11
import msgspec
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    RejectConnection,
    TextMessage,
)
from wsproto.events import Request as Upgrade
from wsproto.utilities import ProtocolError, RemoteProtocolError

from acp_spy.capture.records import Disconnect
from acp_spy.engine import stdio
from acp_spy.engine.driven import run
from acp_spy.engine.launch import launching, limit_of_open_files
from acp_spy.engine.process import SILENCE_AFTER_EXIT, make_room, reported_failure
from acp_spy.remote.checking import Checking
from acp_spy.remote.conversations import MOST_IDLE, Conversation, Conversations
from acp_spy.remote.deflate import Deflate
from acp_spy.remote.exchange import EVENT_STREAM, Headers, session_in
from acp_spy.remote.http_server import CHUNK, GONE, IDLE_TIMEOUT, ServedHttp, ServedRequest
from acp_spy.remote.incoming import serve_connection
from acp_spy.remote.listening import MOST_STREAMS, accept_all, listen, places
from acp_spy.remote.message_head import key_of, value_of
from acp_spy.remote.pongs import Pongs
from acp_spy.remote.service import Service
from acp_spy.remote.socket_message import SocketMessage, TooLong
from acp_spy.remote.until_signal import until_signal
from acp_spy.wire.frame import Peer, Via
from acp_spy.wire.framing import LONGEST_LINE, Framer, Parts
from acp_spy.wire.values import fields, text

KEEP_ALIVE = 15.0  # seconds between comments on an idle SSE stream, or pings on a WebSocket
INITIALIZE_TIMEOUT = 60.0
GRACE, LAST_GRACE = 5.0, 2.0  # seconds to end after the end of stdin, and after SIGTERM
AFTER_STDOUT = 5.0  # seconds to end by itself after the end of its stdout
MOST_WAITING = 64 * 1024 * 1024  # bytes for streams that nobody has open
MOST_AHEAD = 1024 * 1024  # bytes for a reader; the agent waits while there are more
MOST_SESSIONS = 1024  # streams of one connection
MOST_TCP = 1024
LONGEST_ORDER = 1.0  # seconds that a response waits for what came before it on another stream
SPARE = 8  # one of so many places for connections, and for requests of one, is not for events
FILES_OF_AGENT = 6  # three pipes, its process, the capture, and at first what says if it runs
_TOO_MUCH_WAITS = f"more than {MOST_WAITING >> 20} MiB wait for streams that nobody has open"
_CLOSED_STDOUT = "the agent closed its stdout and did not exit"
_TOO_LONG = f"a message of more than {LONGEST_LINE >> 20} MiB of the agent was not sent on"
_METHODS = "POST, GET, DELETE"
# What a page of an allowed origin may send and read, beside what any may.
_REQUEST_HEADERS = (
    "Content-Type, Authorization, Acp-Connection-Id, Acp-Session-Id, Acp-Protocol-Version,"
    " Last-Event-ID"
)
_RESPONSE_HEADERS = "Acp-Connection-Id, Acp-Session-Id, Retry-After"
_SOCKET_VERSION = ("sec-websocket-version", "13")
_PREFLIGHT_AGE = "600"  # seconds for which a browser need not ask again
_NOT_IN_HEADER = frozenset("\r\n\0")
# Their responses are on the stream of the connection, although they name a session.
_OF_CONNECTION = frozenset({"session/load", "session/resume", "session/new", "session/fork"})


class Limits(msgspec.Struct, frozen=True):
    """How many connections at once, and for how many seconds one may be idle."""

    connections: int = 32
    idle: float = 1800.0


class ServedConversations(Conversations):
    """
    An id that is not in use begins no conversation: all such requests are recorded together.

    A client may not know yet that its agent has exited, and what it sends belongs to no other.
    """

    _strays: Conversation | None = None

    def of_request(self, connection: str, session: str, *, opens: bool) -> Conversation:
        """Return the conversation that a request belongs to, or is recorded with."""
        if opens or f"connection {connection}" in self._by_key:
            return super().of_request(connection, session, opens=opens)
        if connection:
            strays = self._strays
            if strays is None or id(strays) not in self._open:
                strays = self._strays = self._new()
                strays.is_of_strays = True
                # What it answers, which may show that it is a secret, is in another capture.
                strays.tap.hide("/result")
            return self._taken(strays)
        newest = self.newest
        return self._taken(newest) if newest else super().of_request("", session, opens=opens)


def run_serve(
    service: Service,
    command: list[str],
    address: tuple[str, int],
    limits: Limits,
    on_ready: Callable[[int], None],
    checking: Checking,
) -> None:
    """Serve `command` until a signal ends us. Raises `OSError` if it cannot listen."""
    open_files = limit_of_open_files()  # the agents', not ours
    make_room(FILES_OF_AGENT * limits.connections + MOST_TCP + MOST_IDLE)
    agents_at_once = places(limits.connections, files=FILES_OF_AGENT + 1)
    limits = Limits(agents_at_once, limits.idle)
    of_agents = FILES_OF_AGENT * agents_at_once
    most = places(MOST_TCP, files=1, others=of_agents)
    service.conversations.most_idle = places(MOST_IDLE, files=1, others=of_agents + most)

    async def main() -> None:
        host, port = address
        free, spare = trio.Semaphore(most), max(1, most // SPARE)
        listeners = await listen(host, port)
        async with (
            until_signal(service, checking) as signals,
            trio.open_nursery() as agents,
        ):
            server = AgentServer(
                service, command, limits, agents, open_files, lambda: free.value < spare
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(
                    accept_all, listeners, server.handle, free, service.complain_once
                )
                on_ready(listeners[0].socket.getsockname()[1])
                await anext(signals)
                nursery.cancel_scope.cancel()
            server.end_all()

    run(main)


class AgentServer:
    """
    Serves requests; `agents` is the nursery of what follows the agents' processes.

    `open_files` is the limit of them that these have. While it `is_crowded`, no event stream is
    begun: a client whose streams have all places could send nothing more, and would never know.
    """

    def __init__(
        self,
        service: Service,
        command: list[str],
        limits: Limits,
        agents: trio.Nursery,
        open_files: tuple[int, int],
        is_crowded: Callable[[], bool] = lambda: False,
    ) -> None:
        self._service = service
        self._command = command
        self._is_crowded = is_crowded
        self._limits = limits
        self._agents = agents
        self._open_files = open_files
        self._turn = trio.Lock()
        self._connections: dict[str, ServedAgent] = {}

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve one TCP connection."""
        self._service.keep_alive.add(stream)
        event_streams = trio.Semaphore(MOST_STREAMS - MOST_STREAMS // SPARE)
        serve = partial(self._serve, event_streams)
        guarded = partial(serve_connection, stream, serve, IDLE_TIMEOUT)
        await self._service.guard_against_bugs(guarded)

    async def _serve(self, event_streams: trio.Semaphore, stream: Any, start: bytes) -> None:
        respond = partial(self._respond, event_streams)
        served = ServedHttp(stream, self._service, respond, start)
        await self._service.guard_against_bugs(served.run)

    def end_all(self) -> None:
        """End all agents."""
        for agent in list(self._connections.values()):
            agent.end("proxy", "acp-spy was ended")

    async def _respond(self, event_streams: trio.Semaphore, request: ServedRequest) -> None:
        request.more_headers = self._for_browser(request)
        if request.exchange.is_upgrade:
            await self._serve_socket(request)
        elif request.method == "POST":
            await self._post(request)
        elif request.method == "GET":
            await self._stream(event_streams, request)
        elif request.method == "DELETE":
            if agent := await self._agent_of(request):
                await request.respond(202)
                agent.end("client")
        elif request.method == "OPTIONS" and self._is_of_allowed_page(request):
            await request.respond(204)
        else:
            await request.respond(405, "use POST, GET or DELETE", [("allow", _METHODS)])

    def _is_of_allowed_page(self, request: ServedRequest) -> bool:
        return self._service.guard.is_shared_with(request.headers.get("origin", ""))

    def _for_browser(self, request: ServedRequest) -> Headers:
        """Return the headers by which a browser lets a page of an allowed origin talk to us."""
        if not self._is_of_allowed_page(request):
            return ()
        headers = [
            ("access-control-allow-origin", request.headers["origin"]),
            ("access-control-expose-headers", _RESPONSE_HEADERS),
            ("vary", "Origin"),
        ]
        if request.method == "OPTIONS":
            headers += [
                ("access-control-allow-methods", _METHODS),
                ("access-control-allow-headers", _REQUEST_HEADERS),
                ("access-control-max-age", _PREFLIGHT_AGE),
            ]
            if "access-control-request-private-network" in request.headers:
                headers.append(("access-control-allow-private-network", "true"))
        return headers

    async def _agent_of(self, request: ServedRequest) -> "ServedAgent | None":
        """Return the agent that a request is for; if there is none, respond so."""
        ident = request.headers.get("acp-connection-id", "")
        agent = self._connections.get(ident)
        if agent is not None and agent.is_ending:
            agent = None  # it reads no more: only its process has yet to end
        if not ident:
            await request.respond(400, "Missing Acp-Connection-Id")
        elif agent is None:
            await request.respond(404, "Unknown Acp-Connection-Id")
        else:
            agent.touch()
        return agent

    async def _post(self, request: ServedRequest) -> None:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        message = value_of(request.body)
        if kind != "application/json":
            await request.respond(415, "Content-Type must be application/json")
        elif isinstance(message, list):
            await request.respond(501, "Batches are not supported")
        elif not isinstance(message, dict):
            await request.respond(400, "The body must be a JSON-RPC message")
        elif message.get("method") == "initialize" and "acp-connection-id" not in request.headers:
            await self._initialize(request, message)
        elif agent := await self._agent_of(request):
            await self._forward(request, agent, message)

    async def _forward(
        self, request: ServedRequest, agent: "ServedAgent", message: dict[str, Any]
    ) -> None:
        header = session_in(request.headers)
        named = _session_of(message)
        if message.get("method") == "initialize":
            await request.respond(400, "This connection is initialized already")
        elif header and named and header != named:
            await request.respond(400, "Acp-Session-Id differs from params.sessionId")
        else:
            async with agent.turn(request):
                agent.note_request(message, named or header)
                is_taken = await agent.write(request.body)
            if is_taken:
                await request.respond(202)
            else:
                await request.respond(500, "The agent does not read any more")

    async def _start(self, request: ServedRequest) -> "ServedAgent | None":
        """Start an agent for a new connection; if that fails, respond so."""
        if len(self._connections) >= self._limits.connections:
            await request.respond(503, "Too many connections", [("retry-after", "10")])
            return None
        assert request.exchange.conversation is not None
        agent = ServedAgent(self._service, request.exchange.conversation, self._limits.idle)
        self._connections[agent.ident] = agent  # already now: others come while it starts
        try:
            await agent.start(self._command, self._open_files, self._turn)
        except BaseException as error:
            del self._connections[agent.ident]
            if not isinstance(error, OSError):
                raise
            why = f"cannot start `{self._command[0]}`: {error.strerror}"
            self._service.complain_once(why)
            await request.respond(500, why)
            return None
        self._agents.start_soon(self._follow, agent)
        return agent

    async def _follow(self, agent: "ServedAgent") -> None:
        await self._service.guard_against_bugs(agent.follow)
        del self._connections[agent.ident]

    async def _initialize(self, request: ServedRequest, message: dict[str, Any]) -> None:
        agent = await self._start(request)
        if agent is None:
            return
        agent.note_request(message, "")
        with trio.move_on_after(INITIALIZE_TIMEOUT):
            try:
                async with request.unless_gone():
                    response = await agent.initialize(request.body)
            except GONE:
                agent.end("client")  # nobody else knows the id of the connection
                raise
            if response is None:
                await request.respond(500, "The agent exited before it responded")
                return
            headers = [("content-type", "application/json"), ("acp-connection-id", agent.ident)]
            # A client that ends the connection with the response's last byte has the id.
            await request.respond_with(200, response, headers)
            return
        agent.end("proxy", "the agent did not respond to initialize")
        await request.respond(504, "The agent did not respond to initialize")

    async def _stream(self, event_streams: trio.Semaphore, request: ServedRequest) -> None:
        if EVENT_STREAM not in request.headers.get("accept", "") and "*/*" not in (
            request.headers.get("accept", "")
        ):
            await request.respond(406, f"Accept must be {EVENT_STREAM}")
            return
        agent = await self._agent_of(request)
        if agent is None:
            return
        if self._is_crowded() or not event_streams.value:
            await request.respond(429, "Too many streams", [("retry-after", "10")])
            return
        outlet = agent.outlet(session_in(request.headers))
        if outlet is None:
            await request.respond(429, "Too many sessions")
        elif outlet.is_read:
            await request.respond(409, "This stream has a reader already")
        else:
            try:
                async with event_streams:
                    await self._send_events(request, outlet)
            finally:
                agent.keep_unread()

    async def _send_events(self, request: ServedRequest, outlet: "Outlet") -> None:
        headers = [("content-type", EVENT_STREAM), ("cache-control", "no-cache")]
        with outlet.being_read():
            await request.stream(200, headers)
            async with request.unless_gone():
                while True:
                    while events := outlet.take():
                        await request.send(events)
                        outlet.has_sent()
                    if outlet.is_blocked:
                        await outlet.wait_for_earlier()
                        continue
                    if outlet.is_over:
                        break
                    with trio.move_on_after(KEEP_ALIVE) as patience:
                        await outlet.wait()
                    if patience.cancelled_caught:
                        await request.send(b":\n\n")
            await request.end()

    async def _serve_socket(self, request: ServedRequest) -> None:
        if not all(value.isascii() for name, value in request.event.headers if _is_of_socket(name)):
            await request.respond(400, "The headers of a WebSocket must be ASCII")  # to wsproto
            return
        if request.method != "GET":
            await request.respond(405, "A WebSocket is opened with GET", [("allow", "GET")])
            return
        socket = WSConnection(ConnectionType.SERVER)
        try:
            socket.initiate_upgrade_connection(list(request.event.headers), request.path)
        except (RemoteProtocolError, h11.ProtocolError, UnicodeError) as error:
            await _refuse_upgrade(request, error)
            return
        agent = await self._start(request)
        if agent is not None:
            await ServedSocket(self._service, request, agent, socket).run()


async def _refuse_upgrade(request: ServedRequest, error: Exception) -> None:
    """Respond why a request opens no WebSocket."""
    hint = getattr(error, "event_hint", None)
    if isinstance(hint, RejectConnection) and hint.status_code == 426:
        version = [("upgrade", "websocket"), ("connection", "upgrade"), _SOCKET_VERSION]
        await request.respond(426, "Sec-WebSocket-Version must be 13", version)
    else:
        await request.respond(400, str(error))


_Earlier = tuple["Outlet", int]  # an outlet, and how many of its messages


class Outlet:
    """
    Messages for one stream, until somebody reads them.

    Who waits in `room` is woken when there is more of it, or nobody reads any more.
    """

    def __init__(self, room: trio.lowlevel.ParkingLot | None = None) -> None:
        self.is_read = self.is_over = self.was_left = False
        self._room = trio.lowlevel.ParkingLot() if room is None else room  # an empty one is false
        self.waiting = 0
        self.count = self._taken = self.sent = 0  # messages that were put, taken and sent
        self.sending = trio.lowlevel.ParkingLot()  # who waits until some are
        self._messages: deque[tuple[bytes, _Earlier | None]] = deque()
        self._news = trio.Event()

    def put(self, payload: bytes, after: "Outlet | None" = None) -> None:
        """Take a message; what another outlet has by now is to be sent before it."""
        earlier = None if after is None or after is self else (after, after.count)
        self._messages.append((payload, earlier))
        self.count += 1
        self.waiting += len(payload)
        self._news.set()

    @contextmanager
    def being_read(self) -> Iterator[None]:
        """Take note that somebody reads the stream, and that nobody does afterwards."""
        self.is_read = True
        try:
            yield
        finally:
            self.is_read, self.was_left = False, True
            self._room.unpark_all()
            self.sending.unpark_all()

    @property
    def is_behind(self) -> bool:
        """Whether somebody reads the stream, and there is much to read."""
        return self.is_read and self.waiting > MOST_AHEAD

    @property
    def has_messages(self) -> bool:
        """Whether there is something to take."""
        return bool(self._messages)

    def end(self) -> None:
        """Take note that no more will come."""
        self.is_over = True
        self._news.set()

    async def wait(self) -> None:
        """Wait for something to take, or the end."""
        await self._news.wait()

    def take(self) -> bytes:
        """Return some messages as events."""
        parts: list[bytes] = []
        size = 0
        while self._messages and size < CHUNK and not self.is_blocked:
            payload = self._next()
            # Between two words of JSON a CR is a space; to a reader of events it ends a line.
            parts.append(b"data: %b\n\n" % payload.replace(b"\r", b" "))
            size += len(payload)
        self._took(size)
        return b"".join(parts)

    def message(self) -> bytes:
        """Return the next message, for a WebSocket."""
        payload = self._next()
        self._took(len(payload))
        return payload

    @property
    def is_blocked(self) -> bool:
        """Whether another outlet has to send something before the next message."""
        if not self._messages or (earlier := self._messages[0][1]) is None:
            return False
        other, number = earlier
        return other.is_read and other.sent < number

    async def wait_for_earlier(self) -> None:
        """Wait for that, but not for long: its reader may be behind."""
        payload, earlier = self._messages[0]
        assert earlier is not None
        with trio.move_on_after(LONGEST_ORDER):
            while self.is_blocked:
                await earlier[0].sending.park()
        if self._messages:  # else the agent has ended, and they have been recorded
            self._messages[0] = payload, None

    def has_sent(self) -> None:
        """Take note that all that was taken has been sent."""
        self.sent = self._taken
        self.sending.unpark_all()

    def _next(self) -> bytes:
        payload, _ = self._messages.popleft()
        self._taken += 1
        return payload

    def messages(self) -> list[bytes]:
        """Return all messages, which nobody reads."""
        found = [payload for payload, _ in self._messages]
        self._messages.clear()
        self._took(self.waiting)
        return found

    def _took(self, size: int) -> None:
        self.waiting -= size
        self._room.unpark_all()
        if not self._messages and not self.is_over:
            self._news = trio.Event()


class ServedAgent:
    """The process of one connection, and where its messages go."""

    def __init__(self, service: Service, conversation: Conversation, idle: float) -> None:
        self.ident = secrets.token_hex(16)
        self._service = service
        self._conversation = conversation
        self._idle = idle
        self._room = trio.lowlevel.ParkingLot()  # until readers have caught up
        self._outlets: dict[str, Outlet] = {"": Outlet(self._room)}
        # Ids of the client's requests, with their streams and the sessions that they name.
        self._requests: dict[bytes, tuple[str, str]] = {}
        self._initialize: bytes | None = None
        self._initialized: bytes | None = None
        self._is_initialized = trio.Event()
        self._is_beginning = False
        self._ended_by = self._why = ""
        self._is_ending = trio.Event()
        self._writing = trio.Lock()
        self._patience = math.inf  # seconds of silence; the process may be silent as it likes
        self._hears_until = math.inf
        self._listening = trio.CancelScope()
        self._rest: int | None = None  # bytes that lay in its stdout when that time was over
        self._last_use = trio.current_time()
        self._unread = 0  # bytes for a client that has left its WebSocket
        self._has_ended = False
        self.is_socket = False

    async def start(self, command: list[str], open_files: tuple[int, int], turn: trio.Lock) -> None:
        """
        Start the process. Raises `OSError` if it cannot be run.

        `turn` is held while it takes more files than `FILES_OF_AGENT`.
        """
        await turn.acquire()
        with trio.CancelScope(shield=True):  # else a process would be left behind
            try:
                report = await self._launch(command, open_files)
            finally:
                turn.release()
            async with report:
                number = b"".join([bytes(part) async for part in report])
            if error := reported_failure(number):
                await self._end_process()
                raise error
        self._conversation.in_use += 1

    async def _launch(
        self, command: list[str], open_files: tuple[int, int]
    ) -> trio.lowlevel.FdStream:
        """Begin the process; return what it will write to if it cannot become the agent."""
        end, failure = os.pipe()
        try:
            self._process = await trio.lowlevel.open_process(
                launching(command, open_files, failure),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[failure],
            )
        except BaseException:
            os.close(end)
            raise
        finally:
            os.close(failure)
        return trio.lowlevel.FdStream(end)

    def touch(self) -> None:
        """Take note that the connection is in use."""
        self._last_use = trio.current_time()

    def outlet(self, session: str) -> Outlet | None:
        """Return the stream of a session, or that of the connection; `None` if there are many."""
        if session not in self._outlets and len(self._outlets) > MOST_SESSIONS:
            return None
        return self._outlets.setdefault(session, Outlet(self._room))

    def note_request(self, message: dict[str, Any], session: str) -> None:
        """Take note of a request of the client's: its response goes to the same stream."""
        if "method" in message and "id" in message:
            method = message["method"]  # of any type: the agent is to say that it is wrong
            stream = "" if isinstance(method, str) and method in _OF_CONNECTION else session
            ident = key_of(message["id"])
            self._requests[ident] = stream, _session_of(message) or session
            if method == "initialize":
                self._initialize = ident

    @property
    def is_ending(self) -> bool:
        """Whether the connection has ended, and the process is to end."""
        return self._is_ending.is_set()

    @asynccontextmanager
    async def turn(self, request: ServedRequest) -> AsyncIterator[None]:
        """
        Wait until `write` may be called. Raises if the client goes before that.

        Else clients that go while the agent does not read would keep all places for connections.
        The one whose message is being written keeps its place: half a line must not be left there.
        """
        try:
            self._writing.acquire_nowait()
        except trio.WouldBlock:
            async with request.unless_gone():
                await self._writing.acquire()
        try:
            yield
        finally:
            self._writing.release()

    async def send(self, payload: bytes) -> bool:
        """Write a message to the agent after those that wait. `False` if it takes no more."""
        async with self._writing:
            return await self.write(payload)

    async def write(self, payload: bytes) -> bool:
        """Write a message to the agent, in one line. `False` if it takes no more."""
        line = payload.replace(b"\r\n", b" ").replace(b"\n", b" ").replace(b"\r", b" ")
        assert self._process.stdin is not None
        with suppress(*GONE):
            await self._process.stdin.send_all(line + b"\n")
            return True
        return False

    async def initialize(self, payload: bytes) -> bytes | None:
        """Send the first message; return the response, or `None` if the agent has exited."""
        self._is_beginning = True
        await self.send(payload)
        await self._is_initialized.wait()
        self._is_beginning = False
        self.touch()
        response, self._initialized = self._initialized, None
        return response

    def end(self, by: str, why: str = "") -> None:
        """End the process, because `by` has ended the connection; of us, the capture says `why`."""
        if not self._ended_by:
            self._ended_by, self._why = by, why
        self._is_ending.set()
        self._room.unpark_all()  # the agent may have to write before it can end

    async def follow(self) -> None:
        """Carry what the agent sends until it has ended; end it when the connection has."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read_stderr)
                nursery.start_soon(self._end_if_idle)
                nursery.start_soon(self._see_out, nursery.cancel_scope)
                nursery.start_soon(self._limit_silence)
                await self._read_stdout()
                await self._wait_for_exit()
                nursery.cancel_scope.cancel()
        finally:  # whatever went wrong: no process is left behind, and nobody waits for one
            with trio.CancelScope(shield=True):
                status = await self._end_process()
            self._end_conversation(status)

    async def _wait_for_exit(self) -> None:
        """Wait until the process has ended; one that lives on without a stdout is to end."""
        with trio.move_on_after(AFTER_STDOUT):
            await self._process.wait()
        if self._process.returncode is None and not self.is_ending:
            self._service.complain_once(f"a connection was ended: {_CLOSED_STDOUT}")
            self.end("proxy", _CLOSED_STDOUT)
        await self._process.wait()

    async def _end_process(self) -> int:
        """Make sure that the process has ended, and close our ends; return its status."""
        self._process.kill()
        status = await self._process.wait()
        self._keep_rest_of_stderr()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            await trio.aclose_forcefully(stream)
        return status

    def _end_conversation(self, status: int) -> None:
        """Take note that the agent has ended: nothing more will come of it."""
        self._is_initialized.set()
        conversation = self._conversation
        for outlet in self._outlets.values():
            outlet.end()
        if self._initialized:  # the client had gone
            self._outlets[""].put(self._initialized)
        self._has_ended = True
        self.keep_unread()
        if self._why:
            self._service.observe(conversation.disconnect, self._disconnect)
        conversation.exit_status = status
        conversation.in_use -= 1
        by = Peer.CLIENT if self._ended_by == "client" else Peer.AGENT
        self._service.observe(self._service.conversations.end, conversation, by)

    def keep_unread(self) -> None:
        """Record what nobody reads, if nobody will: the agent or its only client has gone."""
        if not self._has_ended and not self.is_socket:
            return
        for session, outlet in self._outlets.items():
            is_left = self._has_ended or outlet.was_left
            if is_left and not outlet.is_read and (unread := outlet.messages()):
                self._unread += sum(map(len, unread))
                stream = "session" if session else "connection"
                via = Via("ws" if self.is_socket else "http", stream, self.ident, session)
                self._service.observe(self._conversation.messages, Peer.AGENT, unread, via)

    def _disconnect(self, t: float) -> Disconnect:
        """Return what says that we have ended the connection: else the agent seems to have."""
        transport = "ws" if self.is_socket else "http"
        return Disconnect(t, 0, transport, "connection", "proxy", self.ident, error=self._why)

    async def _end_if_idle(self) -> None:
        self.touch()  # to start it may have taken long
        while True:
            is_read = any(outlet.is_read for outlet in self._outlets.values())
            if self.is_socket or self._is_beginning or is_read:
                self.touch()
            left = self._last_use + self._idle - trio.current_time()
            if left <= 0:
                self._service.complain_once("a connection was ended because it was idle")
                self.end("proxy", "it was idle")
                return
            await trio.sleep(min(left, 1e6) if math.isfinite(left) else 1e6)

    async def _see_out(self, following: trio.CancelScope) -> None:
        await self._is_ending.wait()
        assert self._process.stdin is not None
        await self._process.stdin.aclose()
        with trio.move_on_after(GRACE):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.terminate()
            with trio.move_on_after(LAST_GRACE):
                await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
        await trio.sleep(LAST_GRACE)  # for a child that holds the streams of an agent that ended
        following.cancel()

    async def _limit_silence(self) -> None:
        """
        Once the process has ended, hear its children only as long as they send messages.

        One of them may be the real agent, behind a wrapper. But one that only holds the stream or
        logs to it, such as a server that the agent has started, would make a dead agent look alive.
        """
        await self._process.wait()
        self._patience = SILENCE_AFTER_EXIT
        self._hear_on()
        self._listening.deadline = self._hears_until

    def _hear_on(self) -> None:
        """Take the time of silence from now on."""
        self._hears_until, self._rest = trio.current_time() + self._patience, None

    async def _next_chunk(self) -> bytes:
        """Return what is written to stdout next; nothing at its end, or after a long silence."""
        assert self._process.stdout is not None
        with trio.move_on_at(self._hears_until) as self._listening:
            return bytes(await self._process.stdout.receive_some())
        # The silence may have been ours: a process that was stopped, or a machine that is slow. So
        # what lies there is read; but not what is added meanwhile, which may never end.
        descriptor = _descriptor_of(self._process.stdout)
        if self._rest is None:
            self._rest = stdio.unread(descriptor)
        size = min(self._rest, stdio.CHUNK)
        self._rest -= size
        return stdio.read(descriptor, size) or b"" if size else b""

    async def _read_stdout(self) -> None:
        framer, parts = Framer(LONGEST_LINE), Parts(LONGEST_LINE)
        with suppress(*GONE):
            while chunk := await self._next_chunk():
                if self._has_too_much_waiting():
                    if not self.is_ending:
                        self._service.complain_once(f"a connection was ended: {_TOO_MUCH_WAITS}")
                    self.end("proxy", _TOO_MUCH_WAITS)
                    return
                for line in framer.feed(chunk):
                    self._take(line, is_part=parts.has(line))
                self.keep_unread()
                await self._let_readers_catch_up()
        if rest := framer.close():
            self._take(rest, is_part=parts.has(rest))

    def _has_too_much_waiting(self) -> bool:
        """Whether no more may come: one long message may always wait for a reader."""
        unread = (
            outlet.waiting
            for outlet in self._outlets.values()
            if self.is_ending or not outlet.is_read
        )
        return sum(unread) + self._unread > MOST_WAITING

    async def _let_readers_catch_up(self) -> None:
        """Wait while somebody reads and is behind, unless the connection is to end."""
        while not self.is_ending and any(each.is_behind for each in self._outlets.values()):
            await self._room.park()
            self._hear_on()  # meanwhile nobody listened

    def _take(self, line: bytes, *, is_part: bool) -> None:
        if is_part:
            self._service.complain_once(_TOO_LONG)
        payload = line.rstrip(b"\r\n")
        value = None if is_part else value_of(payload)
        if not isinstance(value, dict | list):
            if payload.strip():  # no message: it is not sent on, but worth knowing
                self._service.observe(self._conversation.tap.agent, line)
            return
        self._hear_on()
        message = fields(value)  # of a batch none: it goes to the stream of the connection
        session, named = _session_of(message), ""
        if "method" not in message and "id" in message:
            ident = key_of(message["id"])
            session, named = self._requests.pop(ident, ("", ""))
            if ident == self._initialize and not self.is_socket:
                self._initialize = None
                self._initialized = payload
                self._is_initialized.set()
                return
        outlet = self.outlet("" if self.is_socket else session) or self._outlets[""]
        # The history of a session is on another stream than the response to `session/load`.
        outlet.put(payload, None if self.is_socket else self._outlets.get(named))

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with suppress(*GONE):
            async for chunk in self._process.stderr:
                self._service.observe(self._conversation.tap.stderr, bytes(chunk))
                if self._service.log:
                    await self._service.log.write(bytes(chunk))

    def _keep_rest_of_stderr(self) -> None:
        """Keep the last that the agent has written: who reads our stderr may be behind."""
        descriptor = _descriptor_of(self._process.stderr)
        left = stdio.unread(descriptor)
        while left > 0 and (chunk := stdio.read(descriptor, left)):
            left -= len(chunk)
            self._service.observe(self._conversation.tap.stderr, chunk)
            if self._service.log:
                self._service.log.put(chunk)


def _descriptor_of(stream: object) -> int:
    assert isinstance(stream, trio.lowlevel.FdStream)
    return stream.fileno()


def _session_of(message: dict[str, Any]) -> str:
    """Return the session that a message names, if a header can name it: that opens its stream."""
    named = text(fields(message.get("params")).get("sessionId")) or ""
    is_whole = named == named.encode(errors="replace").decode().strip(" \t")
    return named if is_whole and not _NOT_IN_HEADER.intersection(named) else ""


def _is_of_socket(header: bytes) -> bool:
    return header in (b"host", b"upgrade", b"connection") or header.startswith(b"sec-websocket-")


class ServedSocket:
    """
    One WebSocket: each message of the agent is a text message, and the other way round.

    `socket` has the request that opens it.
    """

    def __init__(
        self, service: Service, request: ServedRequest, agent: ServedAgent, socket: WSConnection
    ) -> None:
        self._service = service
        self._request = request
        self._exchange = request.exchange
        self._agent = agent
        agent.is_socket = True
        outlet = agent.outlet("")
        assert outlet is not None  # that of the connection
        self._outlet = outlet
        self._stream, self._rest = request.stream_and_rest
        self._socket = socket
        self._message = SocketMessage()
        self._sending = trio.Lock()  # a reply to a ping or a close waits for a message
        self._pongs = Pongs(self._send)
        self._ended_by = "agent"

    async def run(self) -> None:
        """Carry until either side ends."""
        try:
            with self._outlet.being_read():
                await self._carry()
        finally:
            by = self._ended_by
            self._agent.end(by)
            self._agent.keep_unread()
            self._service.observe(self._exchange.lost, by)

    async def _carry(self) -> None:
        try:
            await self._open()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, nursery.cancel_scope)
                nursery.start_soon(self._pongs.run)
                await self._read()
                nursery.cancel_scope.cancel()
        except* (*GONE, ProtocolError):
            pass

    async def _open(self) -> None:
        offered = ""
        for found in self._socket.events():
            if isinstance(found, Upgrade):
                offered = next(iter(found.subprotocols), "")
        deflate = Deflate()
        ident = (b"acp-connection-id", self._agent.ident.encode())
        accept = AcceptConnection(
            extensions=[deflate], extra_headers=[ident], subprotocol=offered or None
        )
        data = self._socket.send(accept)
        headers = [
            (name.lower(), value.strip())
            for line in data.decode("latin-1").split("\r\n")[1:]
            if (name := line.partition(":")[0]) and (value := line.partition(":")[2])
        ]
        self._service.observe(self._exchange.upgraded, headers, "1.1")
        await self._stream.send_all(data)

    async def _write(self, carrying: trio.CancelScope) -> None:
        outlet = self._outlet
        while True:
            while outlet.has_messages:
                async with self._sending:
                    if self._socket.state is not ConnectionState.OPEN:
                        return  # the client has closed it while another message was sent
                    # Taken only now: what a client has not read when it goes is recorded as such.
                    payload = outlet.message()
                    await self._send_next(TextMessage(data=payload.decode(errors="replace")))
            if outlet.is_over:
                break
            with trio.move_on_after(KEEP_ALIVE) as patience:
                await outlet.wait()
            if patience.cancelled_caught:  # else a client that has gone while the agent does not
                await self._send(Ping())  # read, or whose machine has, would keep it for ever
        await self._send(CloseConnection(code=1011, reason="the agent has exited"))
        await trio.sleep(LAST_GRACE)  # for the reply
        carrying.cancel()

    async def _send(self, event: Any) -> None:
        async with self._sending:
            await self._send_next(event)

    async def _send_next(self, event: Any) -> None:
        data = bytes(self._socket.send(event))
        self._service.observe(self._exchange.socket_data, Peer.AGENT, data)
        try:
            await self._stream.send_all(data)
        except GONE:
            self._ended_by = "client"
            raise

    async def _read(self) -> None:
        data = self._rest or bytes(await self._stream.receive_some(CHUNK))
        while data:
            self._service.observe(self._exchange.socket_data, Peer.CLIENT, data)
            self._socket.receive_data(data)
            for event in self._socket.events():
                if isinstance(event, CloseConnection):
                    self._ended_by = "client"
                    # Who closes need not read what is being sent: the reply may never go out.
                    with suppress(ProtocolError), trio.move_on_after(LAST_GRACE):
                        await self._send(event.response())
                    return
                try:
                    await self._take(event)
                except TooLong as error:
                    self._ended_by = "proxy"
                    self._service.complain_once(f"a WebSocket was closed: {error}")
                    with trio.move_on_after(LAST_GRACE):
                        await self._send(CloseConnection(code=1009, reason=str(error)))
                    return
            data = bytes(await self._stream.receive_some(CHUNK))
        self._ended_by = "client"

    async def _take(self, event: Any) -> None:
        if isinstance(event, Ping):
            self._pongs.reply_to(event)
        elif isinstance(event, BytesMessage):
            self._service.complain_once("a binary WebSocket message was ignored")
        elif isinstance(event, TextMessage):
            payload = self._message.add(event)
            if payload is not None:
                await self._agent.send(payload)
