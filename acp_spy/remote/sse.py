"""Server-sent events: bytes as they come in, the data of each event out."""

import re

_BOM = b"\xef\xbb\xbf"
# A comment, or data. Not by lines: a list of those would take twenty times as much as the text.
_LINE = re.compile(rb"^(?:(:)|data(?:: ?([^\n]*))?$)", re.MULTILINE)


class SseReader:
    """
    Takes the body of an event stream in any pieces.

    `events` counts those with data, `comments` the comments, which keep a stream alive. An event
    that does not end is held as far as it is: who feeds must see to it that this is not too
    long.
    """

    def __init__(self) -> None:
        self.events = self.comments = 0
        self._held = bytearray()
        self._is_cut = False  # a part of the event was given away
        self._ends_with_cr = False
        self._is_new = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that `chunk` completes."""
        if b"\r" in chunk or self._ends_with_cr:
            chunk = self._with_plain_line_ends(chunk)
        held = self._held
        if held:
            searched = len(held) - 1
            held += chunk
            if (end := held.rfind(b"\n\n", searched)) < 0:
                return []
            text = bytes(held[:end])
            del held[: end + 2]
        elif (end := chunk.rfind(b"\n\n")) < 0:
            held += chunk
            return []
        else:
            text = chunk[:end]
            held += chunk[end + 2 :]
        if self._is_new:
            self._is_new = False
            text = text.removeprefix(_BOM)
        rest = []
        if self._is_cut:
            self._is_cut = False
            last, _, text = text.partition(b"\n\n")
            rest = [last] if last else []
        found = _plain_events(text)
        if not found:
            blocks = text.split(b"\n\n")
            found = [data for block in blocks if (data := self._read(block)) is not None]
        found = rest + found
        self.events += len(found)
        return found

    @property
    def held(self) -> int:
        """How many bytes of an event there are that has not ended."""
        return len(self._held)

    def take_held(self) -> bytearray:
        """Return what there is of an event that has not ended. Its rest is an event of its own."""
        part, self._held = self._held, bytearray()
        self._is_cut = True
        return part

    def close(self) -> bytearray:
        """Return, at the end of the stream, what is left of an event if a part was taken."""
        return self._held if self._is_cut else bytearray()

    def skip(self, events: int) -> None:
        """Take note of whole events that somebody else has read."""
        self.events += events
        self._is_new = self._is_new and not events

    def _read(self, block: bytes) -> bytes | None:
        data: bytearray | None = None
        for line in _LINE.finditer(block):
            if line[1]:
                self.comments += 1
            elif data is None:
                data = bytearray(line[2] or b"")
            else:
                data += b"\n"
                data += line[2] or b""
        return None if data is None else bytes(data)

    def _with_plain_line_ends(self, chunk: bytes) -> bytes:
        if self._ends_with_cr:
            chunk = chunk.removeprefix(b"\n")  # of a CR LF that was cut in two
        self._ends_with_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _plain_events(text: bytes) -> list[bytes]:
    """
    Return the data of events that are each one line, as all known servers write them.

    Empty if an event is not. Hundreds come at once: so they are cut with a few calls for all.
    """
    if not text.startswith(b"data: "):
        return []
    found = text[6:].split(b"\n\ndata: ")
    return [] if b"\n" in b"".join(found) else found
