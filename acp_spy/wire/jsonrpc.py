"""
What a frame means in JSON-RPC 2.0.

`read_message` never raises and never guesses: whatever it cannot read is `Unreadable`, with the
reason in words. Values are kept as the JSON text that was sent, so that absent, `null` and empty
stay three things, and the ids `1`, `1.0` and `"1"` stay three ids. Only the escapes of an id are
undone, as which letters have some is up to the writer.
"""

import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any, cast

import msgspec

from acp_spy.wire.values import BEYOND, ensure_memory


class Request(msgspec.Struct, frozen=True):
    """A call that is owed an answer."""

    id: bytes
    method: str
    params: bytes = b""


class Notification(msgspec.Struct, frozen=True):
    """A call that wants no answer."""

    method: str
    params: bytes = b""


class Response(msgspec.Struct, frozen=True):
    """An answer: `result` or `error` is the JSON text that was sent, empty where absent."""

    id: bytes
    result: bytes = b""
    error: bytes = b""

    @property
    def failed(self) -> bool:
        """Whether an error was answered."""
        # Some peers send `"error": null` beside every result, as JSON-RPC 1.0 had it.
        return bool(self.error) and not (bool(self.result) and self.error == b"null")


class Unreadable(msgspec.Struct, frozen=True):
    """A frame that is no JSON-RPC message, and why."""

    reason: str


Message = Request | Notification | Response | Unreadable
# For isinstance, which takes a tuple twice as fast as a union. It is slow for a Struct of another
# type: what is for nearly every frame compares types.
CALL = (Notification, Request)


class _Envelope(msgspec.Struct):
    # The type is Raw and not `Raw | None`: in a union msgspec would decode to Python objects.
    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_validate = msgspec.json.Decoder(msgspec.Raw).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_value = msgspec.json.Decoder().decode
_TOO_DEEP = "nested too deep to read"
NOT_JSON = "not JSON"  # and neither an object nor an array

# How nearly every message is spelled, up to its params or result.
_HEAD = re.compile(
    rb'\{"jsonrpc":"2\.0",(?:"id":(0|-?[1-9][0-9]{0,17}|"[^"\\\x00-\x1f\x7f-\xff]*"),)?'
    rb'"(?:method":"([^"\\\x00-\x1f\x7f-\xff]+)","params|result)":(?=\{)'
)
_UPDATE = "session/update"
_UPDATE_HEAD = b'{"jsonrpc":"2.0","method":"session/update","params":'

# How a message begins that may stand behind something else, and at how many places one is tried.
_BEGINNING = re.compile(rb'\{(?:"jsonrpc"|"id"|"method"| "jsonrpc")')
_TRIES = 16
_NEAR_END = 1024 * 1024

# What msgspec says of a lone surrogate escape; which, depends on what follows the escape.
_COMPLAINTS_OF_SURROGATES = (
    "Input data was truncated",
    "unexpected end of hex escape",
    "invalid utf-16 surrogate pair",
)


def read_message(payload: bytes) -> Message:
    """Say what `payload`, a frame without its line end, means in JSON-RPC."""
    try:
        if not payload.isascii():
            payload.decode()  # msgspec lets a bad byte inside a string through
        if payload[:1] != b"{" and payload.lstrip()[:1] != b"{":  # no object: it would be refused
            return Unreadable(_why_no_message(payload))
        envelope = _decode_envelope(payload)
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8: byte {error.start + 1} is 0x{payload[error.start]:02x}")
    except msgspec.DecodeError:
        return Unreadable(_why_no_message(payload))
    except RecursionError:
        return Unreadable(_TOO_DEEP)
    return _meaning(envelope, bytes)


def read_huge(raw: bytes) -> Message | None:
    """
    Say the same of a huge line without copies of it; `None` if it must be read closely.

    `params`, `result` and `error` are then views of the line: for decoding, measuring, comparing.
    """
    if not raw.isascii():
        return None
    try:
        return _meaning(_decode_envelope(memoryview(raw)), _view)
    except (msgspec.DecodeError, RecursionError):
        return None


def _view(value: msgspec.Raw) -> bytes:
    return cast("bytes", memoryview(value))


def _meaning(envelope: _Envelope, held: Callable[[msgspec.Raw], bytes]) -> Message:
    method, ident = bytes(envelope.method), bytes(envelope.id)
    if b"\\" in ident:
        ident = as_id(ident)
    if method:
        if method[BEYOND]:  # a hostile one may be all of the line
            ensure_memory(len(method))
        try:
            name = _decode_text(method)
        except msgspec.DecodeError:
            return Unreadable("`method` is not a string")
        params = held(envelope.params)
        return Request(ident, name, params) if ident else Notification(name, params)
    if envelope.result or envelope.error:
        return Response(ident, held(envelope.result), held(envelope.error))
    return Unreadable("JSON, but neither a call nor an answer")


def as_id(value: bytes) -> bytes:
    """Return the id that a JSON value is: a text without the escapes that it does not need."""
    if b"\\" in value:
        if value[BEYOND]:  # a hostile one may be all of the line
            ensure_memory(len(value))
        with suppress(msgspec.DecodeError):  # a list
            return msgspec.json.encode(_decode_text(value))
    return value


def read_plain(line: bytes) -> tuple[Request | Notification | Response, Any] | None:
    """
    Return what `read_message` does, and its params or result, decoded, if it is spelled plainly.

    That is: not a byte that need not be there around an object, and one LF at the end. Nearly all
    messages are, and to read them takes a third of the time. Nothing in them can be there twice,
    apart from what is in that object.
    """
    ident = method = None
    if line.startswith(_UPDATE_HEAD):  # most are
        name, start = _UPDATE, len(_UPDATE_HEAD)
    elif head := _HEAD.match(line):
        ident, method = head.groups()
        name, start = method.decode() if method else "", head.end()
    else:
        return None
    if line[-3:] != b"}}\n":
        return None
    value = line[start:-2]
    try:
        if not line.isascii():
            line.decode()
        body = _decode_value(value)  # the object alone: else there would be more behind it
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if ident is None:
        return (Notification(name, value), body) if name else None
    return (Request(ident, name, value) if name else Response(ident, value)), body


def find_glued(payload: bytes) -> tuple[int, Message] | None:
    """
    Return where in a frame that is no message one begins, and that message.

    An escape sequence, a prompt or a log line without its line end gets glued to the front of the
    next message; what reads the wire line by line then loses both.
    """
    for start in _beginnings(payload) if payload.find(b"{", 1) > 0 else ():
        if _may_be_message(memoryview(payload)[start:]):
            message = read_message(payload[start:])
            if not isinstance(message, Unreadable):
                return start, message
    return None


def _beginnings(payload: bytes) -> list[int]:
    """
    Return where a message may begin, but for the first byte: the first places, and the last.

    Each is tried by reading on to the end, so that a line of nothing but beginnings would be read
    as often as it has bytes. Between the first and the last there is none in what people send.
    """
    found = (match.start() for match in _BEGINNING.finditer(payload, 1))
    first = list(islice(found, _TRIES))
    if len(first) < _TRIES:
        return first
    near_end = max(first[-1] + 1, len(payload) - _NEAR_END)
    last = (match.start() for match in _BEGINNING.finditer(payload, near_end))
    return [*first, *deque(last, maxlen=_TRIES)]


def _may_be_message(rest: memoryview) -> bool:
    """Whether `rest` is an object; `read_message` would take the time to say why not."""
    try:
        _decode_envelope(rest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _why_no_message(payload: bytes) -> str:
    """Return msgspec's complaint in words that do not mislead."""
    bare = payload.strip()
    if not bare:
        return "a blank line"
    if not _may_be_json(bare):  # to be refused by the decoder takes as long as all else
        return NOT_JSON
    try:
        _validate(payload)
    except RecursionError:
        return _TOO_DEEP
    except msgspec.DecodeError as error:
        complaint = str(error).removeprefix("JSON is malformed: ")
    else:
        return "JSON, but not an object"
    if bare[:1] not in b"{[":
        return NOT_JSON
    may_be_surrogate = bare[-1:] in b"}]" and b"\\ud" in payload.lower()
    if complaint.startswith(_COMPLAINTS_OF_SURROGATES) and may_be_surrogate:
        return "JSON with a string that cannot be read (a lone surrogate escape?)"
    return f"not JSON: {complaint}"


def _may_be_json(bare: bytes) -> bool:
    """Whether `bare` may be JSON by its first and last bytes; nearly no line of a log is."""
    first = bare[:1]
    if first in b"{[":
        return True
    if first == b'"':
        return bare.endswith(b'"')
    return bare[-1:].isdigit() or bare in (b"true", b"false", b"null")
