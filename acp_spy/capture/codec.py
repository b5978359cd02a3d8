"""
A record as one line of a capture file, and back, byte for byte.

A frame's bytes are in one of three fields. `message` is the frame's JSON, verbatim, and
promises that the line was exactly this followed by one line feed. What would not come back
exactly that way is `text`, line end included; what is not UTF-8 is `base64`.
"""

import binascii
import codecs
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, compress
from typing import Literal, final

import msgspec

from acp_spy.capture.records import (
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Record,
    Seconds,
    Stderr,
)
from acp_spy.wire.frame import Frame, Peer, Via, number_frames
from acp_spy.wire.values import decoded

# Deeper JSON is `text`: one such `message` would make the file unreadable to tools that
# nest less than its sender does (jq 1.6 ends at 256).
DEEPEST_MESSAGE = 200

# What is longer and no message is `base64`: escaped, a byte can take six, and nobody reads it.
LONGEST_TEXT = 1024 * 1024

# How every capture begins that acp-spy writes, as `encode` writes it.
HEADER_START = b'{"type":"header",'

# How a line of `encode_finding` begins.
FINDING_START = b'{"type":"finding",'


def encode(records: Iterable[Record]) -> bytes:
    """Return `records` as lines, each with its line feed."""
    parts: list[bytes | memoryview] = []
    for record in records:
        parts += _spell_record(record)
    return b"".join(parts)


def encode_readable(frame: Frame) -> bytes:
    """
    Return a frame as `encode` would, but as `text` if a number in it is beyond all.

    A capture keeps such a message verbatim: who cannot decode it loses one frame. A line that is
    sent to another program could end that program.
    """
    line = encode([frame])
    if decoded(line) is not None:
        return line
    stamp = _stamp(frame.t, frame.sender)
    return b'{"type":"frame","seq":%d%b%b}\n' % (frame.seq, stamp, _spell(frame.raw))


def encode_chunk(
    first: int, t: float, sender: Peer, lines: Sequence[bytes], via: Via | None = None
) -> tuple[bytes | memoryview, ...]:
    """
    Return as `encode` would, in a few parts, the frames of one chunk, as a `Framer` cuts them.

    They share their sender, time and `via`, and are numbered from `first` on. Each has one line
    feed, at its end; the last may lack it. One alone may have more of them.

    The speed of a burst depends on this, and it runs before the frames are passed on. So all frames
    of the chunk are checked, and what they share is written, in one go.
    """
    if len(lines) == 1:
        line = lines[0]
        if len(line) >= _LARGE or not is_message(line):
            return _spell_record(Frame(first, t, sender, line, (), via))
        parts = (
            b'{"type":"frame","seq":',
            _spell_number(first),
            b',"t":',
            _spell_number(t) if 0.0001 <= t < 1e16 else b"%a" % t,  # both the same, but faster
            _SENDERS[sender] + _spell_via(via) if via else _SENDERS[sender],
            b'"message":',
            line[:-1],
            b"}\n",
        )
        return (b"".join(parts),)
    values, _ = messages_in(b"".join(lines), len(lines))
    if values:
        return encode_messages(first, t, sender, values, via)
    return (encode(number_frames(first, t, sender, lines, via)),)


def messages_in(text: bytes, count: int) -> tuple[list[msgspec.Raw], list[int]]:
    """
    Return the JSON values of `text`, which has `count` lines, and their lengths.

    None, if `is_message` does not hold for all lines, or in doubt. It holds if there are as many
    values as lines, and joined by line feeds they are the text: then nothing is left that could be
    around one.
    """
    values, lengths = values_in(text, count)
    return (values, lengths) if b"\n".join([*values, b""]) == text else ([], [])


def values_in(text: bytes, count: int) -> tuple[list[msgspec.Raw], list[int]]:
    """
    Return the JSON values of `text`, if there are `count` of them, and their lengths.

    `is_message` holds for each that is a line. Whether there is something around them is for the
    caller to find out.
    """
    try:
        values = _decoder.decode_lines(text)
    except (msgspec.DecodeError, RecursionError):
        return [], []
    lengths = [*map(len, values)]
    if (
        0x0D in text
        or not count == len(values) > 0
        or not (text.isascii() or is_utf8(text))
        or (max(lengths) > _SURELY_SHALLOW and not _are_shallow(values, lengths))
    ):
        return [], []
    return values, lengths


def encode_messages(
    first: int, t: float, sender: Peer, values: list[msgspec.Raw], via: Via | None = None
) -> tuple[bytes | memoryview, ...]:
    """Return as `encode` would, in parts, frames of messages with nothing around them."""
    stamp = _stamp(t, sender) + _spell_via(via) + b'"message":'
    parts: list[bytes | msgspec.Raw] = []
    while values:
        # Those of one thousand share the start of their numbers: to spell each takes longer.
        thousands, rest = first // 1000, first % 1000
        some, values = values[: 1000 - rest], values[1000 - rest :]
        count = len(some)
        before = b'}\n{"type":"frame","seq":%b' % (b"%d" % thousands if thousands else b"")
        lines: list[bytes | msgspec.Raw] = [before, b"", stamp, b""] * count
        lines[1::4] = _last_digits(thousands > 0)[rest : rest + count]
        lines[3::4] = some
        parts += lines
        first += count
    return memoryview(b"".join(parts))[2:], b"}\n"


def encode_finding(finding: msgspec.Struct) -> bytes:
    """Return as a line what was found in the capture while it was being written."""
    return FINDING_START + msgspec.json.encode(finding)[1:] + b"\n"


def decode(line: bytes) -> Record | None:
    """
    Return the record that `line` holds, or `None` for one to be passed over.

    That is a type of record not known here, and a `finding`: a capture is checked again
    when it is read, with the rules that are selected then.
    Raises `ValueError` with a reason for a line that is no record at all.
    """
    try:
        read: _Line = _decode_line(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        _refuse_unless_unknown(line)
        return None
    if type(read) is _FrameLine:  # by far the most, and this is no call
        message, text = read.message, read.text
        if text is None and message and read.base64 is None:
            raw = b"".join((message, b"\n"))  # a format would copy a huge one twice
        elif text is not None and not message and read.base64 is None:
            raw = text.encode()
        else:
            raw = _bytes_of(read, bytes(message))
        return Frame(read.seq, read.t, read.sender, raw, read.redacted, read.via)
    if isinstance(read, _StderrLine):
        return Stderr(read.t, _bytes_of(read, b""), read.redacted)
    if isinstance(read, _DeliveryLine):
        delivered = _bytes_of(read, bytes(read.message)) if read.has_line else None
        what = read.to, read.by, read.action
        return Delivery(read.seq, read.t, *what, delivered, read.redacted, read.error)
    return None if isinstance(read, _FindingLine) else read


def read_format(line: bytes) -> int | None:
    """Return the format that a header announces, whatever else it holds; `None` if it is none."""
    try:
        return _decode_format(line).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


# ----------------------------------------------------------------------------- writing

_decoder = msgspec.json.Decoder(msgspec.Raw)
_decode = _decoder.decode
_spell_number = msgspec.json.Encoder().encode
_SENDERS = {peer: b',"sender":"%b",' % peer.value.encode() for peer in Peer}
_SELDOM = frozenset({"note", "redacted"})
_LARGE = 64 * 1024  # from here on a copy costs more than taking the line apart
_SURELY_SHALLOW = 2 * DEEPEST_MESSAGE  # bytes: each level takes two of them
_ALL_BUT_BRACKETS_AND_QUOTES = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_UP_OR_DOWN = bytes.maketrans(b"{[}]", b"\x01\x01\xff\xff")  # as signed bytes: 1 and -1


def _spell_record(record: Record) -> tuple[bytes | memoryview, ...]:
    """Return the parts of a record's line: a frame may be huge, and is not copied for it."""
    if type(record) is Frame:  # by far the most, and a match statement is not fast
        raw = record.raw
        stamp = _stamp(record.t, record.sender) + _spell_redacted(record.redacted)
        stamp += _spell_via(record.via)
        if is_message(raw):
            head = b'{"type":"frame","seq":%d%b"message":' % (record.seq, stamp)
            return head, memoryview(raw)[:-1], b"}\n"
        return b'{"type":"frame","seq":%d%b' % (record.seq, stamp), _spell(raw), b"}\n"
    if type(record) is Stderr:
        redacted = _spell_redacted(record.redacted)
        return b'{"type":"stderr","t":%a,%b' % (record.t, redacted), _spell(record.raw), b"}\n"
    if type(record) is Header:
        return _spell_header(record), b"\n"
    if type(record) is Delivery:
        return _spell_delivery(record)
    return msgspec.json.encode(record), b"\n"


def _spell_header(header: Header) -> bytes:
    """Spell a header; of the fields that few captures have, only those that say something."""
    fields = {"type": "header", **msgspec.structs.asdict(header)}
    return msgspec.json.encode({k: v for k, v in fields.items() if v or k not in _SELDOM})


def writable(text: str) -> str:
    """Return `text` without lone surrogates: JSON can name them, but UTF-8 has none."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _spell_delivery(record: Delivery) -> tuple[bytes | memoryview, ...]:
    """Spell what became of a frame; the line that is delivered is spelled as in a frame."""
    fields = {
        "type": "delivery",
        "seq": record.seq,
        "t": record.t,
        "to": record.to,
        "by": record.by,
        "action": record.action,
        **({"error": record.error} if record.error else {}),
    }
    head = msgspec.json.encode(fields)[:-1] + b"," + _spell_redacted(record.redacted)
    if record.raw is None:
        return head.removesuffix(b","), b"}\n"
    if is_message(record.raw):
        return head + b'"message":', memoryview(record.raw)[:-1], b"}\n"
    return head, _spell(record.raw), b"}\n"


def _spell_redacted(places: tuple[str, ...]) -> bytes:
    return b'"redacted":%b,' % msgspec.json.encode(places) if places else b""


def _spell_via(via: Via | None) -> bytes:
    return b'"via":%b,' % msgspec.json.encode(via) if via else b""


def _stamp(t: float, sender: Peer) -> bytes:
    # repr, %a, gives the shortest number that reads back as the same float.
    return b',"t":%a%b' % (t, _SENDERS[sender])


def is_message(raw: bytes) -> bool:
    """Whether a frame is given back exactly by its JSON and one line feed."""
    try:
        size = len(_decode(raw))
    except (msgspec.DecodeError, RecursionError):
        return False
    # Blanks around the JSON would not come back. A bare CR inside it would, but readers that
    # split lines at any kind of line end would be led astray. No line has a second LF, but a
    # frame that was made by hand may, and must not become two records. msgspec lets a bad byte
    # inside a string through. The length of most lines says enough, and is compared here: a call
    # less for every message.
    return (
        size == len(raw) - 1 == raw.find(b"\n")
        and 0x0D not in raw
        and (raw.isascii() or is_utf8(raw))
        and (size < _SURELY_SHALLOW or _is_shallow(raw))
    )


@cache
def _last_digits(are_padded: bool) -> list[bytes]:
    return [(b"%03d" if are_padded else b"%d") % number for number in range(1000)]


def _is_shallow(raw: bytes) -> bool:
    """Whether valid JSON nests no deeper than `DEEPEST_MESSAGE`."""
    # Look closer only where the size and the number of opening brackets leave a doubt.
    return (
        len(raw) <= _SURELY_SHALLOW
        or _openings(raw) <= DEEPEST_MESSAGE
        or _nests_at_most(DEEPEST_MESSAGE, raw)
    )


def _are_shallow(values: list[msgspec.Raw], lengths: list[int]) -> bool:
    long = [length > _SURELY_SHALLOW for length in lengths]
    return all(map(_is_shallow, map(bytes, compress(values, long))))


def _openings(raw: bytes) -> int:
    """Return how many brackets open in `raw`; of a large line no more than are too many."""
    if len(raw) < _LARGE:
        return raw.count(b"{") + raw.count(b"[")
    found = 0
    for bracket in b"{[":  # `count` compares each byte; `find` leaves that to the C library
        place = raw.find(bracket)
        while place >= 0 and found <= DEEPEST_MESSAGE:
            found += 1
            place = raw.find(bracket, place + 1)
    return found


def _nests_at_most(limit: int, payload: bytes) -> bool:
    """
    Whether valid JSON nests no deeper than `limit`.

    A message that carries a program's source has hundreds of brackets in its strings, so this
    is no rare case, and the traffic waits for it. A regular expression for strings was tried:
    it took seconds, and gigabytes, for a string of 20 MB.
    """
    unescaped = payload.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_strings = unescaped.translate(None, _ALL_BUT_BRACKETS_AND_QUOTES).split(b'"')[::2]
    brackets = b"".join(outside_strings).translate(_UP_OR_DOWN)
    steps = memoryview(brackets).cast("b")
    return max(accumulate(steps), default=0) <= limit


def _spell(raw: bytes) -> bytes:
    """Spell any bytes as the field that gives them back."""
    if len(raw) <= LONGEST_TEXT:
        try:
            return b'"text":' + msgspec.json.encode(raw.decode())
        except UnicodeDecodeError:
            pass
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


@final
class _FrameLine(msgspec.Struct, tag="frame"):
    seq: int
    t: Seconds
    sender: Peer
    message: msgspec.Raw = msgspec.Raw()
    text: str | None = None
    base64: bytes | None = None
    redacted: tuple[str, ...] = ()
    via: Via | None = None


class _StderrLine(msgspec.Struct, tag="stderr"):
    t: Seconds
    text: str | None = None
    base64: bytes | None = None
    redacted: tuple[str, ...] = ()


class _DeliveryLine(msgspec.Struct, tag="delivery"):
    seq: int
    t: Seconds
    to: Peer
    by: str
    action: str
    error: str = ""
    message: msgspec.Raw = msgspec.Raw()
    text: str | None = None
    base64: bytes | None = None
    redacted: tuple[str, ...] = ()

    @property
    def has_line(self) -> bool:
        return bool(self.message) or self.text is not None or self.base64 is not None


class _FindingLine(msgspec.Struct, tag="finding"):
    """Nothing of it is read."""


class _TypeOnly(msgspec.Struct):
    type: str


class _FormatOnly(msgspec.Struct):
    type: Literal["header"]  # a tag may be absent, and any file may begin with a `format`
    format: int


_Line = (
    Header
    | _FrameLine
    | _DeliveryLine
    | _StderrLine
    | _FindingLine
    | Closed
    | Exit
    | HttpExchange
    | Disconnect
)
_decode_line = msgspec.json.Decoder(_Line).decode
_decode_format = msgspec.json.Decoder(_FormatOnly).decode
_decode_type = msgspec.json.Decoder(_TypeOnly).decode
_KNOWN_TYPES = frozenset(
    {"header", "frame", "delivery", "stderr", "finding", "closed", "exit", "exchange", "disconnect"}
)


def _without_long_value(reason: str) -> str:
    """Return `reason` without a value that may be a secret: others may read what is printed."""
    before, word, rest = reason.partition(" value ")
    value, _, place = rest.rpartition(" - at ")
    return f"{before}{word}- at {place}" if len(value) >= 12 else reason


def _refuse_unless_unknown(line: bytes) -> None:
    """Raise `ValueError` with the reason, unless it is a record of a type not known here."""
    try:
        try:
            _decode_line(line)
        except msgspec.ValidationError:
            if _decode_type(line).type in _KNOWN_TYPES:
                raise
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except msgspec.DecodeError as error:
        raise ValueError(_without_long_value(str(error))) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _bytes_of(read: _FrameLine | _DeliveryLine | _StderrLine, message: bytes) -> bytes:
    """Return the bytes that a line holds, from the one field of three that it must have."""
    held = [
        *([message + b"\n"] if message else []),
        *([read.text.encode()] if read.text is not None else []),
        *([read.base64] if read.base64 is not None else []),
    ]
    if len(held) != 1:
        raise ValueError("expected exactly one of `message`, `text` and `base64`")
    return held[0]
