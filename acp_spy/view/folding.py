"""
Rows about one thing, folded into one: a text that streams, a tool call with its updates.

A run of chunks of one text, or of updates of one tool call, goes on until its session says
something else. Other sessions, stderr, noise and usage updates in between do not end it. What is
given back comes in the order in which it began, so a row may wait for a fold before it; the
number that wait is bounded, and so is memory.

That an HTTP server accepted a message is not shown, if the message is.
"""

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from acp_spy.capture.records import HttpExchange
from acp_spy.lint.rule import Finding
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Peer

_MOST_WAITING = 256
_MOST_SENT = 64  # frames of the client whose HTTP status may still come
_MOST_TEXT = 4000  # characters: the first lines are shown, not the novel
_MOST_FINDINGS = 64
# Updates that come in the middle of a text and have nothing to do with it.
BESIDE = frozenset({"usage_update", "session_info_update", "available_commands_update"})


# What a text is called, by who says it.
SPEAKERS = {"agent": "agent says", "thought": "agent thinks", "user": "user says"}


class Fold(msgspec.Struct):
    """Several rows as one: the first and the last, how many, and the beginning of their text."""

    first: Row
    last: Row
    count: int = 0
    text: str = ""
    size: int = 0
    duration: float | None = None  # of a tool call, if it ends here
    findings: list[Finding] = msgspec.field(default_factory=list)
    more_findings: int = 0
    is_open: bool = True  # more may come
    number: int = 0  # of the items, in the order in which they begin

    @property
    def span(self) -> float:
        """Seconds from the first to the last."""
        return self.last.t - self.first.t

    @property
    def rate(self) -> float | None:
        """Rows a second, if there are enough for a rate."""
        return (self.count - 1) / self.span if self.count > 2 and self.span > 0 else None

    def take(self, row: Row, most_text: int) -> None:
        """Take in one more row, the first one, too."""
        self.last = row
        self.count += 1
        self.size += row.size
        if not row.stream:
            self.duration = self.duration or row.duration
            self.text = row.text[:most_text] or self.text  # an update has all of it again
        elif len(self.text) < most_text:
            self.text += row.text[:most_text]
        if row.findings:
            room = max(_MOST_FINDINGS - len(self.findings), 0)
            self.findings += row.findings[:room]
            self.more_findings += max(len(row.findings) - room, 0)


Item = Row | Fold
Said = tuple[str, str | None]  # in which conversation: its hop, and its session
Key = tuple[Said, str, str]


class Folder:
    """Feed it rows; it gives rows and folds. Close it for what still waits."""

    def __init__(self, most_text: int = _MOST_TEXT) -> None:
        self._most_text = most_text
        self.waiting: list[Item] = []
        self._open: dict[Key, Fold] = {}
        self._sent: deque[int | None] = deque(maxlen=_MOST_SENT)
        self._count = 0  # items that have begun
        self.number = -1  # of the item that has the row that was fed last; -1 if none has

    def feed(self, row: Row) -> list[Item]:
        """Return what is now complete."""
        if row.sender is Peer.CLIENT:
            self._sent.append(row.seq)
        elif row.kind == "exchange" and self._is_routine(row):
            self.number = -1
            return []
        key = _key(row)
        self.number = self._count
        if key is None:
            if row.session is not None and row.what not in BESIDE:
                self._end(conversation_of(row))
            self.waiting.append(row)
            self._count += 1
        elif fold := self._open.get(key):
            fold.take(row, self._most_text)
            self.number = fold.number
        else:
            self._end(conversation_of(row), but_tools=bool(row.tool))
            fold = self._open[key] = Fold(row, row, number=self._count)
            fold.take(row, self._most_text)
            self.waiting.append(fold)
            self._count += 1
        if len(self.waiting) > _MOST_WAITING:
            self._end_all()
        return self._ready()

    def _is_routine(self, row: Row) -> bool:
        """Whether a row says only that an HTTP server took a message that is shown."""
        if row.failed or row.findings or not isinstance(row.record, HttpExchange):
            return False
        return row.record.request in self._sent

    def close(self) -> list[Item]:
        """Return what still waits, complete or not."""
        self._end_all()
        return self._ready()

    def _end(self, where: Said, *, but_tools: bool = False) -> None:
        for key in [key for key in self._open if key[0] == where]:
            if not (but_tools and key[2]):  # tool calls run side by side
                self._open.pop(key).is_open = False

    def _end_all(self) -> None:
        for fold in self._open.values():
            fold.is_open = False
        self._open.clear()

    def _ready(self) -> list[Item]:
        count = 0
        for item in self.waiting:
            if isinstance(item, Fold) and item.is_open:
                break
            count += 1
        if not count:
            return []
        ready, self.waiting = self.waiting[:count], self.waiting[count:]
        return ready


def folded(rows: Iterable[Row], most_text: int = _MOST_TEXT) -> Iterator[Item]:
    """Give `rows` folded, as they become complete."""
    folder = Folder(most_text)
    for row in rows:
        yield from folder.feed(row)
    yield from folder.close()


def conversation_of(row: Row) -> Said:
    """Return in which conversation a row is; a proxy has two of one session."""
    return row.hop, row.session


def _key(row: Row) -> Key | None:
    """Return what rows must share to be folded; `None` for a row that is not folded."""
    if row.kind != "notification" or row.fate:
        return None
    if row.stream:
        return conversation_of(row), row.stream, ""
    if row.tool is not None and not row.mcp:
        return conversation_of(row), "", row.tool
    return None
