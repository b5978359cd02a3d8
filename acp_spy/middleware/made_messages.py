"""Messages that neither peer has sent: what is injected, and responses in a peer's place."""

from collections.abc import Callable
from typing import Any

import msgspec

from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Message, Response, Unreadable
from acp_spy.wire.values import decoded


class Injected:
    """A message that was sent to one of the peers."""

    def __init__(self, *, is_request: bool = True) -> None:
        self._is_request = is_request
        self._is_answered = False
        self._response: Any = None
        self._waiting: list[Callable[[], None]] = []

    async def response(self) -> Any:
        """
        Return the response to an injected request, as decoded JSON. The other peer gets none.

        It is `None` if it cannot be read.
        """
        import trio

        if not self._is_request:
            raise ValueError("no response will come: what was injected has no `method` or no `id`")
        if not self._is_answered:
            arrived = trio.Event()
            self._waiting.append(arrived.set)
            await arrived.wait()
        return self._response

    def when_answered(self, tell: Callable[[Any], None]) -> None:
        """Have `tell` called with the response to an injected request, when it comes."""
        self._waiting.append(lambda: tell(self._response))

    def take_response(self, message: Any) -> None:
        """Take the response; `None` for one that cannot be read."""
        self._is_answered = True
        self._response = message
        for wake in self._waiting:
            wake()


class Injections:
    """What one has injected. A request gets an id that neither peer uses: it begins with `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0
        self._open: dict[Any, Injected] = {}  # requests, by id

    def make(self, message: Any) -> tuple[bytes, Injected]:
        """Return a message as a line, and what its response comes to."""
        is_request = isinstance(message, dict) and "method" in message and "id" in message
        injected = Injected(is_request=is_request)
        if is_request:
            self._count += 1
            ident = f"acp-spy:{self._name}:{self._count}"
            message = {**message, "id": ident}
            self._open[ident] = injected
        return as_line(message), injected

    @property
    def is_waiting(self) -> bool:
        """Whether a response is to come."""
        return bool(self._open)

    def take(self, message: Message, raw: bytes) -> bool:
        """Whether a message is the response to one of the requests, which has got it then."""
        if self._open and isinstance(message, Unreadable):
            self._tell_unreadable(raw)
        if not self._open or not isinstance(message, Response):
            return False
        ident = decoded(message.id)
        asked = self._open.pop(ident, None) if isinstance(ident, str) else None
        if asked is None:
            return False
        asked.take_response(decoded(raw))
        return True

    def _tell_unreadable(self, raw: bytes) -> None:
        """
        Take a line that cannot be read for the response to each request whose id is in it.

        Nothing else would come. It goes on to the other peer: there may be more in it.
        """
        for ident, asked in self._open.items():
            if f'"{ident}"'.encode() in raw:
                asked.take_response(None)


def response_line(ident: bytes, result: Any = None, error: Any = None) -> bytes:
    """Return the response to the request with this id, as it is spelled: a result, or an error."""
    answer = {"error": error} if error is not None else {"result": result}
    return as_line({"jsonrpc": "2.0", "id": msgspec.Raw(ident), **answer})


def as_line(message: Any) -> bytes:
    """Return JSON as one line; bytes stay as they are."""
    if isinstance(message, bytes | bytearray | memoryview):
        return bytes(message)
    return msgspec.json.encode(message) + b"\n"


def peer(name: str | Peer) -> Peer:
    """Return the peer of that name."""
    try:
        return Peer(name)
    except ValueError:
        raise ValueError(f'no such peer: {name!r}; use "client" or "agent"') from None
