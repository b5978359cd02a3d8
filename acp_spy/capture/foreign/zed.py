"""What "Copy All Messages" of Zed's ACP log puts into the clipboard: one JSON array."""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from acp_spy.capture.foreign.format import Format, LoggedLine, Reading
from acp_spy.capture.foreign.rebuild import answer, call, known, one_line
from acp_spy.capture.foreign.source import Source
from acp_spy.wire.frame import Peer

_HEAD = re.compile(rb'\s*\[\s*\{.*"_direction"', re.DOTALL)
_SENDERS = {"incoming": Peer.AGENT, "outgoing": Peer.CLIENT}  # as Zed, the client, sees it


class _Item(msgspec.Struct):
    direction: Literal["incoming", "outgoing", "stderr"] = msgspec.field(name="_direction")
    type: str = msgspec.field(name="_type", default="")
    id: msgspec.Raw = msgspec.Raw()
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()


class _Error(msgspec.Struct):
    code: int
    message: str


_decode = msgspec.json.Decoder(list[_Item]).decode
_read_error = msgspec.json.Decoder(_Error).decode
_read_text = msgspec.json.Decoder(str).decode


class ZedReading(Reading):
    """The messages of one connection, as Zed's log shows them."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._items = source.document(_decode, "a copy of Zed's ACP log")

    def lines(self) -> Iterator[LoggedLine]:
        """Give the messages, and the agent's stderr."""
        for item in self._items:
            if item.direction == "stderr":
                yield LoggedLine(None, _text(item.params) + b"\n")
            else:
                yield LoggedLine(_SENDERS[item.direction], _message(item))


def _message(item: _Item) -> bytes:
    ident = known(item.id)
    if item.type != "response":
        return call(item.method, known(item.params), ident)
    # Zed writes both under `params`, and leaves it to the reader to tell them apart.
    try:
        _read_error(item.params)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return answer(ident, one_line(bytes(item.params)))
    return answer(ident, one_line(bytes(item.params)), is_error=True)


def _text(value: msgspec.Raw) -> bytes:
    try:
        return _read_text(value).encode()
    except (msgspec.DecodeError, ValueError, RecursionError):
        return one_line(bytes(value))


def _is_document(head: bytes) -> bool:
    return _HEAD.match(head) is not None


FORMAT = Format(
    name="zed",
    title="Zed's copy of its ACP log",
    keeps="messages, senders, stderr",
    lost="times, exact bytes, lines that are not messages, whether a response was a result or an"
    " error (guessed), all but the last 2000 messages, exit",
    reading=ZedReading,
    is_document=_is_document,
)
