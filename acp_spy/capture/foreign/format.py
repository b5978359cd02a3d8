"""What a format of another tool is: how it is recognized, what it keeps, what it loses."""

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from acp_spy.capture.foreign.source import Source
from acp_spy.wire.frame import Peer


class LoggedLine(msgspec.Struct, frozen=True, gc=False):
    """
    A line of a conversation: `sender` sent it, or the agent wrote it to stderr.

    `sender` is `None` for stderr. `at` is in seconds, on the clock of the file; `None` where it
    has none.
    """

    sender: Peer | None
    raw: bytes
    at: float | None = None


class Reading:
    """
    A file of another tool, being read.

    `lines` is run through twice: first to learn what the note must have, and what can be known only
    at the end of the file; then for what it gives. Memory stays nearly the same, however long the
    file.
    """

    wall_clock = False  # whether `at` counts from 1970, in UTC
    start: float | None = None  # the `at` that is 0 in the capture; else the first there is
    command: tuple[str, ...] = ()
    writer = ""  # the program that wrote the file, with its version, if the file says so

    def __init__(self, source: Source) -> None:
        self.source = source
        # What happened on the way and how often, in words for the note.
        self.remarks: Counter[str] = Counter()

    def lines(self) -> Iterator[LoggedLine]:
        """Give the lines of the conversation, in the order of the file."""
        raise NotImplementedError


class Format(msgspec.Struct, frozen=True):
    """
    One format. The help, the note of an imported capture and docs/import.md are made from it.

    `is_line` knows a line of it, `is_document` the beginning of a file that is one JSON document.
    """

    name: str
    title: str
    keeps: str
    lost: str
    reading: type[Reading]
    is_line: Callable[[bytes], bool] | None = None
    is_document: Callable[[bytes], bool] | None = None
