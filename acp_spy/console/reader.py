"""
A capture read piece by piece: rows and folds to the shelf, and what is known of it so far.

It follows the capture as long as it grows. Each piece is small, so that the caller can do
something else in between.
"""

from collections import deque
from collections.abc import Sequence

import msgspec

from acp_spy.capture.files import Follower
from acp_spy.capture.folder import look_at
from acp_spy.capture.records import BESIDE, Delivery, Header, Stderr
from acp_spy.console.shelf import LEVELS, MOST_FRAMES, Region, Shelf
from acp_spy.console.stored import restore, store
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import ALL_RULES, Ruleset
from acp_spy.view.filters import row_filter
from acp_spy.view.folding import Fold, Folder, Item
from acp_spy.view.gists.words import plain
from acp_spy.view.pending import pending_at_end, pending_so_far
from acp_spy.view.terminal import Margins
from acp_spy.view.timeline import Late, Row, Timeline
from acp_spy.wire.frame import Frame

PIECE = 64 * 1024  # bytes that are read at a time
_MOST_TEXT = 2000  # characters of a folded text
_MOST_FINDINGS = 2000  # that are listed
_MOST_KNOWN = 20_000  # findings that are remembered for the next filter
_MOST_STDERR = 1000  # rows
_LONGEST_LINE = 2000


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """An item that may still change: it is not on the shelf yet."""

    place: int
    seq: int
    level: int
    data: bytes
    partner: int = 0


class Status(msgspec.Struct, frozen=True):
    """
    What is known of a capture.

    Items are there up to byte `done` of the file: those in `region` of the shelf, and then those in
    `waiting`. `run` counts the filters: what has another number is not shown any more.
    """

    run: int = 0
    region: Region = Region()
    done: int = 0
    size: int = 0
    waiting: list[Waiting] = []
    frames: int = 0
    shown: int = 0  # frames
    t: float = 0.0
    counts: dict[str, int] = {}  # of findings, by severity
    note: str = ""  # of the capture itself
    diagnosis: Diagnosis | None = None
    pending: list[str] = []
    running: bool = False
    is_read: bool = False  # to its end, so far
    crashed: list[str] = []  # rules

    @property
    def entries(self) -> int:
        """How many items are on the shelf."""
        return self.region.count

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.entries + len(self.waiting)


class Known(msgspec.Struct, frozen=True):
    """What an earlier reading has found: with it, the next need not judge anything again."""

    by_frame: Late
    counts: dict[str, int]
    listed: list[Finding]
    diagnosis: Diagnosis | None
    crashed: list[str]


class Reader:
    """
    Reads the capture at `path` to `shelf`.

    `filters` are tokens; `late` has findings by frame that an earlier reading made late, `known`
    has all that it made. Raises `AcpSpyError` for a wrong filter, and when it cannot be read.
    """

    def __init__(
        self,
        path: str,
        shelf: Shelf,
        filters: Sequence[str] = (),
        *,
        run: int = 0,
        fold: bool = True,
        ruleset: Ruleset = ALL_RULES,
        late: Late | None = None,
        known: Known | None = None,
    ) -> None:
        self._path = path
        self._shelf = shelf
        self.run = run
        self._filter = row_filter(filters)
        self._fold = fold
        self._timeline = Timeline(None, known.by_frame) if known else Timeline(ruleset, late)
        self._known = known
        self._folder = Folder(_MOST_TEXT)
        self._margins = Margins()
        self._follower = Follower(path)
        self._header = Header()
        self._done = self._shown = 0
        self._t = 0.0
        self._counts = dict(known.counts) if known else {}
        # Where rows that are not on the shelf yet begin, by id(): the folder keeps them alive.
        self._places: dict[int, int] = {}
        self._partners: dict[int, int] = {}  # responses, by the requests that wait
        self._is_read = self.is_over = False
        self.late: Late = {}
        self._by_frame: Late = {}
        self._found = 0
        self.findings = list(known.listed) if known else []
        self.stderr: deque[tuple[float, str]] = deque(maxlen=_MOST_STDERR)

    def close(self) -> None:
        """Read no more."""
        self._follower.close()

    def advance(self, most: int = PIECE) -> bool:
        """Read at most about `most` bytes; return whether something was there."""
        if self.is_over:
            return False
        lines = self._follower.take_lines(most)
        for place, line in lines:
            record = self._follower.record_in(line)
            if record is not None:
                self._feed(record, place)
            self._done = place + len(line)
        if not self._follower.at_end:
            return True
        self._look_whether_it_goes_on()
        return False

    def _look_whether_it_goes_on(self) -> None:
        """Note that all is read, and if the capture has ended, what comes to light at the end."""
        self._is_read = True
        entry = look_at(self._path)
        if entry is not None and entry.running:
            return
        for record in self._follower.last():
            self._feed(record, self._done)
        if self._done and entry is not None:
            self._done = entry.size
        self._put_all(self._folder.close())
        self._add_findings(self._timeline.close())
        self.is_over = True

    def _feed(self, record: object, place: int) -> None:
        if isinstance(record, Header):
            self._header = record
        if isinstance(record, Frame) and not 0 <= record.seq <= MOST_FRAMES:
            raise AcpSpyError(
                f"cannot show `{self._path}`: it has a frame with the number {record.seq}",
                hint="use `acp-spy view`; the console shows numbers up to 4,294,967,295",
            )
        for row in self._timeline.feed(record):  # type: ignore[arg-type]
            self._t = row.t
            if isinstance(record, Stderr):
                self.stderr.append((row.t, plain(record.raw)[:_LONGEST_LINE]))
            elif isinstance(record, Delivery) and record.action not in BESIDE:
                self._note_fate(record)
            # A row with a late finding is shown for it, even if the finding moves to its frame.
            is_shown = self._filter(row)
            own = self._with_own(row)
            number = -1
            if is_shown:
                self._shown += row.seq is not None
                self._places[id(own)] = place
                number = self._take(own)
            if row.seq is not None:
                self._shelf.note_frame(row.seq, place, number)
                if row.partner is not None:
                    self._pair(row.partner, row.seq)
            if row.findings:
                self._add_findings(row.findings, of=row)

    def _with_own(self, row: Row) -> Row:
        if not row.findings:
            return row
        own = tuple(each for each in row.findings if each.seq == (row.seq or 0))
        return row if len(own) == len(row.findings) else msgspec.structs.replace(row, findings=own)

    def _take(self, row: Row) -> int:
        """Take a row that is shown; return the number of its item."""
        if not self._fold:
            self._put(row)
            return self._shelf.count - 1
        self._put_all(self._folder.feed(row))
        return self._folder.number

    def _put_all(self, items: list[Item]) -> None:
        for item in items:
            self._put(item)
        if len(self._places) > 4 * len(self._folder.waiting) + 64:  # of those not yet put, all stay
            self._forget_places()

    def _put(self, item: Item) -> None:
        first = item.first if isinstance(item, Fold) else item
        place = self._places.pop(id(first), self._done)
        data = store(item, self._margins.of(item))
        seq = self._seq_of(first)
        partner = self._partners.pop(first.seq or 0, 0)
        self._shelf.append(place, seq, data, partner, _level(item.findings))

    def _seq_of(self, row: Row) -> int:
        if row.seq is None:
            return self._last_seq
        self._last_seq = max(self._last_seq, row.seq)
        return row.seq

    _last_seq = 0

    def _forget_places(self) -> None:
        """Forget the places of rows that are in a fold."""
        kept = {id(each.first if isinstance(each, Fold) else each) for each in self._folder.waiting}
        self._places = {key: place for key, place in self._places.items() if key in kept}

    # ------------------------------------------------------------------ what changes later

    def _pair(self, request: int, response: int) -> None:
        """Note the response with its request."""
        number = self._number_of(request)
        if number is None:
            return
        if number >= self._shelf.count:
            self._partners[request] = response
            return
        entry = self._shelf.entry(number)
        if entry.seq == request:
            self._shelf.change(number, msgspec.structs.replace(entry, partner=response))

    def _note_fate(self, delivery: Delivery) -> None:
        """Strike out a frame that was not delivered as it was sent."""
        number = self._number_of(delivery.seq)
        if number is None:
            return
        if number >= self._shelf.count:
            at = number - self._shelf.count
            waiting = self._folder.waiting[at]
            if isinstance(waiting, Row):
                self._folder.waiting[at] = self._moved(waiting, fate=delivery.action)
            return
        entry = self._shelf.entry(number)
        item, margin = restore(self._shelf.item(entry))
        if isinstance(item, Row):
            struck = msgspec.structs.replace(item, fate=delivery.action)
            self._shelf.replace(number, entry, store(struck, margin))

    def _moved(self, row: Row, **changes: object) -> Row:
        """Return a waiting row with something changed."""
        changed = msgspec.structs.replace(row, **changes)
        self._places[id(changed)] = self._places.pop(id(row), self._done)
        return changed

    def _number_of(self, seq: int) -> int | None:
        """Return the number of the item that has this frame; those that wait come last."""
        self._shelf.flush()
        return self._shelf.item_of(seq)

    def _add_findings(self, found: Sequence[Finding], of: Row | None = None) -> None:
        """Count what was found, and put it with its frame, if that was before."""
        for finding in found:
            if self._known is None:
                self._count(finding)
            if of is not None and finding.seq == (of.seq or 0):
                continue
            if self._found <= _MOST_KNOWN:
                self.late.setdefault(finding.seq, []).append(finding)
            self._place_late(finding)

    def _count(self, finding: Finding) -> None:
        if finding.because is None:
            level = finding.severity.value
            self._counts[level] = self._counts.get(level, 0) + 1
        if len(self.findings) < _MOST_FINDINGS:
            self.findings.append(finding)
        self._found += 1
        if self._found <= _MOST_KNOWN:
            self._by_frame.setdefault(finding.seq, []).append(finding)

    @property
    def known(self) -> Known | None:
        """What was found, if that is complete and not too much."""
        if not self.is_over or self._found > _MOST_KNOWN:
            return None
        return self._known or Known(
            self._by_frame,
            self._counts,
            self.findings,
            self._timeline.diagnosis(),
            self._crashed(),
        )

    def _crashed(self) -> list[str]:
        return sorted({crash.code for crash in self._timeline.crashes})

    def _place_late(self, finding: Finding) -> None:
        number = self._number_of(finding.seq) if finding.seq else None
        if number is not None and number >= self._shelf.count:
            at = number - self._shelf.count
            waiting = self._folder.waiting[at]
            if isinstance(waiting, Fold):
                waiting.findings.append(finding)
            else:
                findings = (*waiting.findings, finding)
                self._folder.waiting[at] = self._moved(waiting, findings=findings)
            return
        if number is None:  # a filter hides the frame, or it is about the end
            self._shelf.flush()
            last = self._shelf.count - 1
            number = self._shelf.find_frame(finding.seq) if finding.seq else last
        if number < 0:
            return
        entry = self._shelf.entry(number)
        item, margin = restore(self._shelf.item(entry))
        if isinstance(item, Fold):
            item.findings.append(finding)
        else:
            item = msgspec.structs.replace(item, findings=(*item.findings, finding))
        level = max(entry.level, _level([finding]))
        changed = msgspec.structs.replace(entry, level=level)
        self._shelf.replace(number, changed, store(item, margin))

    # ------------------------------------------------------------------ what is known

    def status(self, now: float) -> Status:
        """Return what is known; `now` is in seconds since the epoch."""
        self._shelf.flush()
        state, exited = self._timeline.state, self._timeline.exited
        entry = look_at(self._path)
        running = not self.is_over and entry is not None and entry.running
        clock = max(self._header.elapsed(now) or 0.0, self._t) if running else None
        pending: list[str] = []
        if self._is_read:  # before, nearly everything is still to be answered
            pending = (
                pending_at_end(state, exited) if clock is None else pending_so_far(state, clock)
            )
        margins = self._margins.copy()
        return Status(
            run=self.run,
            region=self._shelf.region,
            done=self._done,
            size=max(entry.size if entry else 0, self._done),
            waiting=[self._waiting(item, margins) for item in self._folder.waiting],
            frames=self._timeline.last_seq,
            shown=self._shown,
            t=self._t if clock is None else clock,
            counts=dict(self._counts),
            note=self._header.note,
            diagnosis=self._diagnosis(clock),
            pending=pending,
            running=running,
            is_read=self._is_read,
            crashed=self._known.crashed if self._known else self._crashed(),
        )

    def _diagnosis(self, clock: float | None) -> Diagnosis | None:
        if self._known:
            return self._known.diagnosis
        return self._timeline.diagnosis(clock) if self._is_read else None

    def _waiting(self, item: Item, margins: Margins) -> Waiting:
        first = item.first if isinstance(item, Fold) else item
        place = self._places.get(id(first), self._done)
        level, partner = _level(item.findings), self._partners.get(first.seq or 0, 0)
        data = store(item, margins.of(item))
        return Waiting(place, first.seq or self._last_seq, level, data, partner)


def _level(findings: Sequence[Finding]) -> int:
    return max((LEVELS.index(each.severity.value) for each in findings), default=0)


def progress(status: Status) -> str:
    """Return how far it is read, in words; nothing if all is."""
    if status.is_read or not status.size:
        return ""
    return f"{100 * status.done // status.size} % read"
