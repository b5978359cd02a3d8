"""
A record as one line of a capture file, and back, byte for byte.

A frame's bytes stand in one of three fields. `message` is the frame's JSON, verbatim, and
promises that the line was exactly this followed by one line feed. What would not come back
exactly that way is `text`, line end included; what is not UTF-8 is `base64`.
"""

import binascii
import codecs
from collections.abc import Iterable
from typing import Literal

import msgspec

from acp_spy.capture.records import Closed, Exit, Header, Record, Stderr
from acp_spy.wire.frame import Frame, Peer

# Deeper JSON is `text`: one such `message` would make the file unreadable to tools that
# nest less than its sender does (jq 1.6 ends at 256).
DEEPEST_MESSAGE = 200

# How every capture begins that acp-spy writes, as `encode` writes it.
HEADER_START = b'{"type":"header",'


def encode(records: Iterable[Record]) -> bytes:
    """
    Return `records` as lines, each with its line feed.

    A burst of frames stands or falls with this loop, and it runs before the frames are passed
    on. What the frames of one chunk share is therefore spelled once.
    """
    lines = []
    t, sender, stamp = -1.0, None, b""
    for record in records:
        if type(record) is Frame:
            if record.t != t or record.sender is not sender:
                t, sender = record.t, record.sender
                # repr, %a, gives the shortest number that reads back as the same float.
                stamp = b',"t":%a,"sender":"%b",' % (t, sender.value.encode())
            body = _spell_frame(record.raw)
            lines.append(b'{"type":"frame","seq":%d%b%b}\n' % (record.seq, stamp, body))
        elif type(record) is Stderr:
            lines.append(b'{"type":"stderr","t":%a,%b}\n' % (record.t, _spell(record.raw)))
        else:
            lines.append(msgspec.json.encode(record) + b"\n")
    return b"".join(lines)


def decode(line: bytes) -> Record | None:
    """
    Return the record that `line` holds, or `None` for a type of record not known here.

    Raises `ValueError` with a reason for a line that is no record at all.
    """
    try:
        read = _read_line(line)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deep to be read") from None
    match read:
        case _FrameLine(seq=seq, t=t, sender=sender):
            return Frame(seq, t, sender, _bytes_of(read, bytes(read.message)))
        case _StderrLine(t=t):
            return Stderr(t, _bytes_of(read, b""))
        case _:
            return read


def read_format(line: bytes) -> int | None:
    """Return the format that a header announces, whatever else it holds; `None` if it is none."""
    try:
        return _decode_format(line).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


# ----------------------------------------------------------------------------- writing

_validate = msgspec.json.Decoder(msgspec.Raw).decode
_ALL_BUT_BRACKETS_AND_QUOTES = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_ONE_KIND_OF_BRACKET = bytes.maketrans(b"{}", b"[]")


def _spell_frame(raw: bytes) -> bytes:
    """Spell a frame as `message` if that gives it back exactly, else as its bytes."""
    # Blanks around the JSON would not come back. A bare CR inside it would, but readers that
    # split lines at any kind of line end would be led astray. No line has a second LF, but a
    # frame that was made by hand may, and must not become two records.
    body = raw[:-1]
    if not body or raw[-1] != 0x0A or body[0] <= 0x20 or body[-1] <= 0x20:
        return _spell(raw)
    if 0x0D in body or 0x0A in body:
        return _spell(raw)
    try:
        _validate(raw)
    except (msgspec.DecodeError, RecursionError):
        return _spell(raw)
    # msgspec lets a bad byte inside a string through.
    if not (raw.isascii() or is_utf8(raw)) or not _is_shallow(raw):
        return _spell(raw)
    return b'"message":' + body


def _is_shallow(raw: bytes) -> bool:
    """Whether valid JSON nests no deeper than `DEEPEST_MESSAGE`."""
    # Each level takes two bytes, and an opening bracket: look closer only where that leaves
    # a doubt.
    return (
        len(raw) <= 2 * DEEPEST_MESSAGE
        or raw.count(b"{") + raw.count(b"[") <= DEEPEST_MESSAGE
        or _nests_at_most(DEEPEST_MESSAGE, raw)
    )


def _nests_at_most(limit: int, payload: bytes) -> bool:
    """
    Whether valid JSON nests no deeper than `limit`.

    A message that carries a program's source has hundreds of brackets in its strings, so this
    is no rare case, and the traffic waits for it. A regular expression for strings was tried:
    it took seconds, and gigabytes, for a string of 20 MB.
    """
    unescaped = payload.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_strings = unescaped.translate(None, _ALL_BUT_BRACKETS_AND_QUOTES).split(b'"')[::2]
    brackets = b"".join(outside_strings).translate(_ONE_KIND_OF_BRACKET)
    for _ in range(limit):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"")  # the innermost level of each branch
    return not brackets


def _spell(raw: bytes) -> bytes:
    """Spell any bytes as the field that gives them back."""
    try:
        return b'"text":' + msgspec.json.encode(raw.decode())
    except UnicodeDecodeError:
        return b'"base64":"%b"' % binascii.b2a_base64(raw, newline=False)


def is_utf8(data: bytes, step: int = 256 * 1024) -> bool:
    """Whether `data` is UTF-8, found out in steps so that a huge line is not held twice over."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), step):
            decoder.decode(data[start : start + step])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


# ----------------------------------------------------------------------------- reading


class _FrameLine(msgspec.Struct, tag="frame"):
    seq: int
    t: float
    sender: Peer
    message: msgspec.Raw = msgspec.Raw()
    text: str | None = None
    base64: bytes | None = None


class _StderrLine(msgspec.Struct, tag="stderr"):
    t: float
    text: str | None = None
    base64: bytes | None = None


class _TypeOnly(msgspec.Struct):
    type: str


class _FormatOnly(msgspec.Struct):
    type: Literal["header"]  # a tag may be absent, and any file may begin with a `format`
    format: int


_decode_line = msgspec.json.Decoder(Header | _FrameLine | _StderrLine | Closed | Exit).decode
_decode_format = msgspec.json.Decoder(_FormatOnly).decode
_decode_type = msgspec.json.Decoder(_TypeOnly).decode
_KNOWN_TYPES = frozenset({"header", "frame", "stderr", "closed", "exit"})


def _read_line(line: bytes) -> Header | _FrameLine | _StderrLine | Closed | Exit | None:
    try:
        read: Header | _FrameLine | _StderrLine | Closed | Exit = _decode_line(line)
    except msgspec.ValidationError:
        if _decode_type(line).type not in _KNOWN_TYPES:
            return None
        raise
    return read


def _bytes_of(read: _FrameLine | _StderrLine, message: bytes) -> bytes:
    """Return the bytes that a line holds, from the one field of three that it must have."""
    held = [
        *([message + b"\n"] if message else []),
        *([read.text.encode()] if read.text is not None else []),
        *([read.base64] if read.base64 is not None else []),
    ]
    if len(held) != 1:
        raise ValueError("expected exactly one of `message`, `text` and `base64`")
    return held[0]
