"""
Chunks of bytes in, stamped records out: what a run looks like to its capture.

The recorder has memory but neither clock nor file: the time is an argument, and what to do with
the records is the caller's business. Joined, the records of a stream are the bytes of the stream.
"""

from collections.abc import Sequence

from acp_spy.capture.records import Closed, Exit, Stderr
from acp_spy.wire.frame import Frame, Peer, number_frames
from acp_spy.wire.framing import Framer, split_lines

# A flood of lines on stderr is kept as it comes: the messages must not wait for it.
MOST_LINES = 100


class Recorder:
    """Number and stamp the frames of both peers, and the agent's standard error."""

    def __init__(self) -> None:
        self._framers = {Peer.CLIENT: Framer(), Peer.AGENT: Framer()}
        self.counts = {Peer.CLIENT: 0, Peer.AGENT: 0}
        self._seq = 0
        self._split_character = b""

    @property
    def last(self) -> int:
        """The number of the last frame; 0 if there was none."""
        return self._seq

    def lines(
        self, sender: Peer, chunk: bytes, whole: Sequence[bytes] = ()
    ) -> tuple[int, Sequence[bytes]]:
        """Return the frames that `chunk` completes as lines, or `whole`; and the first's number."""
        lines = whole or self._framers[sender].feed(chunk)
        count = len(lines)
        first = self._seq + 1
        self._seq += count
        self.counts[sender] += count
        return first, lines

    def frames(self, sender: Peer, chunk: bytes, t: float) -> list[Frame]:
        """Return the frames that `chunk` completes: none for a part of a line."""
        first, lines = self.lines(sender, chunk)
        return number_frames(first, t, sender, lines)

    def stderr(self, chunk: bytes, t: float) -> list[Stderr]:
        """
        Return `chunk` as one record a line, the last of which need not be whole.

        Standard error is kept as it comes, because a crash seldom ends its line. Only a
        character cut in two by the end of the chunk waits for its other half.
        """
        chunk = self._split_character + chunk
        cut = _start_of_split_character(chunk)
        self._split_character = chunk[cut:]
        whole = chunk[:cut]
        if whole.count(b"\n") > MOST_LINES:
            return [Stderr(t, whole)]
        return [Stderr(t, line) for line in split_lines(whole)]

    def unfinished(self, sender: Peer) -> int:
        """Return how many bytes the sender has sent after its last line end."""
        return len(self._framers[sender].held)

    def closed(self, sender: Peer, t: float) -> list[Frame | Closed]:
        """Return the end of the sender's stream, after the tail that had no line end."""
        tail = self._framers[sender].close()
        end = Closed(t, sender)
        return [self._stamp(sender, tail, t), end] if tail else [end]

    def exit(
        self, status: int, undelivered: dict[str, int], t: float, reason: str = ""
    ) -> list[Frame | Stderr | Exit]:
        """Return the end of the run, after whatever was still held back."""
        records: list[Frame | Stderr | Exit] = []
        for sender, framer in self._framers.items():
            if tail := framer.close():
                records.append(self._stamp(sender, tail, t))
        if self._split_character:
            records.append(Stderr(t, self._split_character))
            self._split_character = b""
        return [*records, Exit(t, status, undelivered, reason)]

    def _stamp(self, sender: Peer, tail: bytes, t: float) -> Frame:
        self._seq += 1
        self.counts[sender] += 1
        return Frame(self._seq, t, sender, tail)


def _start_of_split_character(chunk: bytes) -> int:
    """Return where a UTF-8 character begins that the end of `chunk` cuts; else its length."""
    for back in range(1, min(3, len(chunk)) + 1):
        byte = chunk[-back]
        if byte & 0b1100_0000 == 0b1000_0000:  # a continuation: its start is further back
            continue
        length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return len(chunk) - back if length > back else len(chunk)
    return len(chunk)
