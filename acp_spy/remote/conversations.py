"""
Which conversation an HTTP request belongs to: one capture each, over many TCP connections.

A conversation begins with an `initialize` without a connection id, or with a WebSocket. Its
response has the id that all later requests carry. It ends when a DELETE was accepted, or the socket
has closed, and all its streams have ended.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial

import msgspec
import trio

from acp_spy.capture.records import DROPPED, Delivery, Disconnect, HttpExchange
from acp_spy.engine.tap import Tap
from acp_spy.remote.room import Room
from acp_spy.wire.frame import Peer, Via

# That nobody has ended, and nobody uses: a client may just go away. And of those being redacted.
MOST_IDLE = 256


class Conversation:
    """One capture. `tap` records, the methods add what it must know of HTTP."""

    def __init__(self, tap: Tap) -> None:
        self.tap = tap
        self.in_use = 0  # by requests, streams and sockets that are open
        self.ended_by: Peer | None = None
        self.exit_status = 0
        self.has_failed = False  # its first request was refused, or only asked what is allowed
        self.is_of_strays = False  # requests that belong to none: nobody begins one with it
        self.keys: list[str] = []
        self._exchanges = 0

    def learn(self, credentials: Iterable[str]) -> None:
        """Take note of what is not recorded, and must not be if it comes again in a message."""
        for credential in credentials:
            self.tap.learn(credential)

    def messages(self, sender: Peer, payloads: list[bytes], via: Via) -> int:
        """Record messages; return the number of the last frame."""
        return self.tap.messages(sender, payloads, via)

    def found_messages(self, sender: Peer, values: list[msgspec.Raw], via: Via) -> None:
        """Record messages of `values_in` that had nothing around them."""
        self.tap.found_messages(sender, values, via)

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return self.tap.recorder.last

    def dropped(self, seq: int) -> None:
        """Record that a frame of the agent was not delivered to the client."""
        self.tap.keep(lambda t: [Delivery(seq, t, Peer.CLIENT, "acp-spy", DROPPED)])

    def exchange(self, make: Callable[[float, int], HttpExchange]) -> int:
        """Record an exchange; return its number."""
        self._exchanges += 1
        number = self._exchanges
        self.tap.keep(lambda t: [make(t, number)])
        return number

    def disconnect(self, make: Callable[[float], Disconnect]) -> None:
        """Record the end of a stream or socket."""
        self.tap.keep(lambda t: [make(t)])


class Conversations:
    """
    All conversations of one run.

    `open_tap` begins a capture; `on_begin` and `on_end` are called with a conversation at its
    beginning, and when no traffic of it will be recorded any more: that closes the tap.
    """

    def __init__(
        self,
        open_tap: Callable[[], Tap],
        on_begin: Callable[[Conversation], None] = lambda _: None,
        on_end: Callable[[Conversation], None] = lambda conversation: conversation.tap.close(),
    ) -> None:
        self._open_tap = open_tap
        self._on_begin = on_begin
        self._on_end = on_end
        self._by_key: dict[str, Conversation] = {}
        self._open: dict[int, Conversation] = {}  # by their identity, the newest last
        self._idle: dict[int, Conversation] = {}  # those of them that nobody uses
        self._ending: dict[int, Conversation] = {}  # not open: being redacted, the newest last
        self._start: Callable[[Callable[[], Awaitable[None]]], None] | None = None
        self.count = 0
        self.most_idle = MOST_IDLE
        self.room = Room()

    def finish_by(self, start: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        """
        Wait in tasks until a conversation that has ended is redacted: no other waits for that.

        `start` begins one. Who cancels it leaves out the rest.
        """
        self._start = start

    def begin(self) -> Conversation:
        """Return a conversation for a client that opens one; a failed attempt is gone on with."""
        for conversation in reversed(self._idle.values()):
            if conversation.has_failed and not conversation.is_of_strays:
                conversation.has_failed = False
                return self._taken(conversation)
        return self._new()

    def _new(self) -> Conversation:
        if len(self._ending) >= self.most_idle:  # files are open as long
            self._finish(next(iter(self._ending.values())))
        conversation = Conversation(self._open_tap())
        self.count += 1
        self._open[id(conversation)] = conversation
        self._on_begin(conversation)
        return conversation

    def of_request(self, connection: str, session: str, *, opens: bool) -> Conversation:
        """Return the conversation that a request belongs to; `opens` if it is an `initialize`."""
        key = _key(connection, session)
        if key and (known := self._by_key.get(key)):
            self._open[id(known)] = self._open.pop(id(known))
            return self._taken(known)
        if connection or opens or not (newest := self.newest):
            conversation = self.begin()
            if connection:
                self._bind(conversation, key)
            return conversation
        return self._taken(newest)

    def _taken(self, conversation: Conversation) -> Conversation:
        """Return a conversation that will be in use."""
        self._idle.pop(id(conversation), None)
        return conversation

    @property
    def newest(self) -> Conversation | None:
        """The one that was used last, of those that are open."""
        return next(reversed(self._open.values()), None)

    def bind(
        self, conversation: Conversation, connection: str, session: str, *, opens: bool = False
    ) -> None:
        """
        Take note of the ids in a response: later requests have them.

        If that `opens` a conversation, an id is new: a target that was restarted gives it again.
        """
        key = _key(connection, session)
        if key and (opens or key not in self._by_key):
            self._bind(conversation, key)

    def end(self, conversation: Conversation, by: Peer) -> None:
        """Take note that a peer has ended a conversation; its streams may still be open."""
        if conversation.ended_by is None:
            conversation.ended_by = by
            conversation.tap.client_end() if by is Peer.CLIENT else conversation.tap.agent_end()
        self.settle(conversation)

    def settle(self, conversation: Conversation) -> None:
        """Finish a conversation that has ended, once nothing of it is open."""
        if conversation.in_use or id(conversation) not in self._open:
            return
        if conversation.ended_by is not None:
            conversation.tap.exit(conversation.exit_status, {})
            self._forget(conversation)
        else:
            self._idle[id(conversation)] = conversation
            if len(self._idle) > self.most_idle:
                self._forget(next(iter(self._idle.values())))

    def close(self) -> None:
        """Record no more: acp-spy ends. What nobody has ended is cut off."""
        for conversation in list(self._open.values()):
            if conversation.ended_by is not None:
                conversation.tap.exit(conversation.exit_status, {})
            self._forget(conversation)

    def _bind(self, conversation: Conversation, key: str) -> None:
        self._by_key[key] = conversation
        conversation.keys.append(key)

    def _forget(self, conversation: Conversation) -> None:
        if self._open.pop(id(conversation), None) is None:
            return
        self._idle.pop(id(conversation), None)
        for key in conversation.keys:
            if self._by_key.get(key) is conversation:  # else it is the key of a later one
                del self._by_key[key]
        conversation.tap.check_file()
        self._ending[id(conversation)] = conversation
        if self._start is None or conversation.tap.is_written:
            self._finish(conversation)
        else:
            self._start(partial(self._finish_later, conversation))

    async def _finish_later(self, conversation: Conversation) -> None:
        tap, is_written = conversation.tap, trio.Event()
        token = trio.lowlevel.current_trio_token()

        def wake() -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(is_written.set)

        tap.when_written(wake)
        try:
            await is_written.wait()
        except trio.Cancelled:
            tap.close()
            raise
        finally:
            self._finish(conversation)

    def _finish(self, conversation: Conversation) -> None:
        if self._ending.pop(id(conversation), None) is not None:
            conversation.tap.finish()
            self._on_end(conversation)


def _key(connection: str, session: str) -> str:
    # Early servers had one id for both, in the header of the session.
    return f"connection {connection}" if connection else f"session {session}" if session else ""
