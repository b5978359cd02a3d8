"""
Who sent a message, when nobody has written it down.

A method is enough: the tables know who may send it. A response is sent by whom the request with its
id was sent to; since both peers count from 0, its shape shows which request that was.
"""

import functools
from typing import Literal

import msgspec

from acp_spy.protocol.shapes import Object
from acp_spy.protocol.tables import NAMES, spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Message, Notification, Request, Response
from acp_spy.wire.values import fields

_MOST_PENDING = 10_000  # a request that waits behind so many others is forgotten
_MOST_OF_ONE_ID = 8  # each is looked at for every response with this id
_Fit = Literal["surely", "maybe", "no"]


@functools.cache
def sender_of(method: str) -> Peer | None:
    """Return the one peer that may send `method` in any edition; `None` if both, or none."""
    found = [peer for name in NAMES for way in spec(name).find(method) for peer in way.senders]
    return found[0] if found and len(set(found)) == 1 else None


class Senders:
    """
    Tells the senders of the messages of a conversation, one after the other.

    After `settle`, it starts again, and knows whether all of them are of one peer.
    """

    def __init__(self) -> None:
        self.only: Peer | None = None
        self._calls: set[Peer] = set()
        self._fits = dict.fromkeys(("surely", "maybe", "no"), 0)
        self._noise = False
        self._pending: dict[bytes, list[tuple[Peer, str]]] = {}
        self._last_asked = b""

    def guess(self, message: Message) -> tuple[Peer, bool]:
        """Return who sent this message, and whether that is sure."""
        match message:
            case Request() | Notification():
                return self._of_call(message)
            case Response():
                return self._of_response(message)
        self._noise = True
        return Peer.AGENT, self.only is Peer.AGENT  # as a rule, noise is the agent's

    def settle(self) -> None:
        """
        Take what was seen so far for the whole conversation, and start again.

        If only one peer has called the other, and the responses do not fit its requests, then it
        is one stream, as `tee` writes it: the responses in it answer what is not there.
        """
        fits = self._fits
        if len(self._calls) == 1 and not fits["surely"] and fits["maybe"] <= fits["no"]:
            (caller,) = self._calls
            if fits["no"] or not (self._noise and caller is Peer.CLIENT):
                self.only = caller
        self._pending.clear()

    def _of_call(self, message: Request | Notification) -> tuple[Peer, bool]:
        known = sender_of(message.method)
        if known:
            self._calls.add(known)
        is_request = isinstance(message, Request)
        # As a rule the client asks and the agent reports.
        sender = known or self.only or (Peer.CLIENT if is_request else Peer.AGENT)
        if isinstance(message, Request):
            self._last_asked = message.id
            waiting = self._pending.setdefault(message.id, [])
            waiting.append((sender, message.method))
            del waiting[:-_MOST_OF_ONE_ID]
            if len(self._pending) > _MOST_PENDING:
                del self._pending[next(iter(self._pending))]
        return sender, bool(known or self.only)

    def _of_response(self, message: Response) -> tuple[Peer, bool]:
        waiting = self._pending.get(message.id, [])
        keys = _keys(message) if waiting else None
        fits = [_fit(message, keys, method) for _, method in waiting]
        fitting = [asked for asked, fit in zip(waiting, fits, strict=True) if fit != "no"]
        # With nothing to know it by, an answer is believed if it follows its question.
        is_next = message.id == self._last_asked
        best = "surely" if "surely" in fits else "maybe" if fitting and is_next else "no"
        self._fits[best] += 1
        if self.only:
            return self.only, True
        if not waiting:
            return Peer.AGENT, False
        # What was asked last is answered first: a permission within a turn.
        answered = (fitting or waiting)[-1]
        waiting.remove(answered)
        if not waiting:
            del self._pending[message.id]
        return answered[0].other, True


def _fit(response: Response, keys: frozenset[str] | None, method: str) -> _Fit:
    """Whether this is the answer to `method`: what such an answer must have is in its `keys`."""
    needs = _required(method)
    if response.error or not all(needs):
        return "maybe"
    if keys is None:
        return "no"
    if not needs:
        return "maybe"
    return "surely" if any(needed <= keys for needed in needs) else "no"


def _keys(response: Response) -> frozenset[str] | None:
    """Return the fields of a result; `None` if it cannot be read."""
    try:
        return frozenset(fields(msgspec.json.decode(response.result)))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


@functools.cache
def _required(method: str) -> tuple[frozenset[str], ...]:
    """Return, for each edition that has `method`, the fields that its result must have."""
    found = []
    for name in NAMES:
        edition = spec(name)
        for way in edition.find(method):
            shape = edition.resolve(edition.shapes[way.result]) if way.result else None
            if isinstance(shape, Object):
                needed = frozenset(k for k, field in shape.fields.items() if field.required)
                found.append(needed)
    return tuple(dict.fromkeys(found))
