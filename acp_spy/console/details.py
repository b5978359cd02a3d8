"""One row in full: the frame as a tree of JSON with the marked places, findings, partner."""

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from acp_spy.console.document import Document, Shown
from acp_spy.console.panes import Line, LinesPane
from acp_spy.units import counted
from acp_spy.view.capture_view import FrameDetail
from acp_spy.view.findings.fitting import fill
from acp_spy.view.folding import Fold
from acp_spy.view.frame_detail import MARKED, NO_JSON, coloured, explained, head, json_lines, title
from acp_spy.view.gists.words import plain
from acp_spy.view.style import Piece, broken, width_of
from acp_spy.view.timeline import Row, Timeline
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

_MOST_SHOWN = 2_000_000  # bytes of a frame
_MOST_LINES = 20_000
_MOST_WRAPPED = 400  # lines that one long string may take


class DetailsPane(LinesPane):
    """The details of the row with the cursor."""

    def __init__(self, document: Document, **more: str) -> None:
        super().__init__(**more)
        self._document = document
        self._shown: Shown | None = None
        self._key: object = None
        self._lines: list[tuple[str, str | Line]] = []  # a mark, and JSON or a ready line
        self._collapsed: set[int] = set()  # lines whose part of the tree is hidden
        self._visible: list[int] = []
        self.seq = 0  # the frame that is shown

    def show_row(self, shown: Shown | None, seq: int = 0) -> None:
        """Show a row; of a fold the frame `seq`, or its last."""
        if shown is None:
            self._key = None
            self.show([])
            return
        row = shown.row if not isinstance(shown.item, Fold) else None
        wanted = seq or (row.seq if row else shown.last.seq) or 0
        key = shown.place, wanted, shown.partner, len(shown.item.findings), self.room
        if key == self._key:
            return
        is_other = self._key is None or key[:2] != self._key[:2]  # type: ignore[index]
        self._shown, self._key, self.seq = shown, key, wanted
        if is_other:
            self._collapsed = set()
        self._lines = list(islice(self._all_lines(shown, wanted), _MOST_LINES))
        self._lay_out(keep=not is_other)

    def on_resize(self) -> None:
        """Break the lines again."""
        super().on_resize()
        if self._shown is not None:
            self.show_row(self._shown, self.seq)

    def _lay_out(self, *, keep: bool) -> None:
        self._visible = list(self._open_lines())
        self.show_by(len(self._visible), self._piece_line, keep=keep)

    def _open_lines(self) -> Iterator[int]:
        """Give the lines that are not in a closed part."""
        until = -1  # the indent of the closed part
        for at, (_, line) in enumerate(self._lines):
            if not isinstance(line, str):
                until = -1
                yield at
                continue
            indent = len(line) - len(line.lstrip(" "))
            if until >= 0:
                if indent > until:
                    continue
                until = -1
                if line.lstrip(" ")[:1] in "]}":
                    continue
            yield at
            if at in self._collapsed:
                until = indent

    def toggle(self) -> bool:
        """Close or open the part of the tree at the cursor; return whether there is one."""
        if not self._visible:
            return False
        at = self._visible[min(self.cursor, len(self._visible) - 1)]
        line = self._lines[at][1]
        if not isinstance(line, str) or line.rstrip()[-1:] not in ("{", "["):
            return False
        self._collapsed ^= {at}
        self._lay_out(keep=True)
        return True

    def _piece_line(self, number: int) -> Line:
        at = self._visible[number]
        mark, line = self._lines[at]
        if not isinstance(line, str):
            return line
        pieces: list[Piece] = [("error" if mark == MARKED else "", mark or "  "), *coloured(line)]
        if at in self._collapsed:
            pieces.append(("dim", f" … {_closing(line)}"))
        return pieces

    # ------------------------------------------------------------------ what there is to show

    def _all_lines(self, shown: Shown, seq: int) -> Iterator[tuple[str, str | Line]]:
        item = shown.item
        if isinstance(item, Fold) and item.first.stream:
            yield from _ready(self._folded_text(item))
        record = self._document.record_of_frame(seq) if seq else None
        if record is None and shown.number < 0:  # not read yet
            found = self._document.record(shown.place)
            record = found if isinstance(found, Frame) else None
        if record is None or shown.row.seq is None:
            yield from _ready(self._other(shown))
        else:
            detail = self._detail(shown, seq, record)
            yield from _ready(head(detail))
            if isinstance(item, Fold) and item.count > 1:
                which = f"one of {counted(item.count, 'frame')}: ← → show the others"
                yield "", [("dim", which)]
            yield "", ()
            yield from self._json(detail.row, {each.path for each in detail.findings})
            for partner, word in ((detail.request, "request:"), (detail.response, "response:")):
                if partner is not None:
                    yield "", ()
                    yield "", [("dim", f"{word} "), *title(partner)]
                    yield from self._json(partner, set())
        for finding in item.findings:
            yield "", ()
            yield from _ready(explained(finding, self.room))

    def _folded_text(self, fold: Fold) -> Iterator[Line]:
        yield [("bold", f"{counted(fold.count, 'chunk')} of one text")]
        text = inert(fold.text.expandtabs(4), but="\n")
        for line in broken(text, self.room, 60):
            yield [("", line)]
        yield ()

    def _other(self, shown: Shown) -> Iterator[Line]:
        row = shown.row
        yield [("bold", inert(row.what)), ("dim", f"  {row.t:.6f} s")]
        record = self._document.record(shown.place)
        raw = getattr(record, "raw", None)
        text = plain(raw[:_MOST_SHOWN]) if raw else row.gist
        for line in broken(inert(text.expandtabs(4), but="\n"), self.room, 500):
            yield [("", line)]

    def _detail(self, shown: Shown, seq: int, record: Frame) -> FrameDetail:
        row = shown.row if shown.row.seq == seq else shown.last
        running = self._document.status.running
        detail = FrameDetail(self._with_record(row, record), running=running)
        detail.findings = [each for each in shown.item.findings if each.seq in (seq, 0)]
        if row.seq != seq:  # another frame of a fold
            detail.row = self._alone(record)
        if shown.partner:
            detail.response = self._partner(shown.partner, row)
        elif row.partner is not None:
            detail.request = self._partner(row.partner)
        return detail

    def _with_record(self, row: Row, record: Frame) -> Row:
        return replace(row, record=record)

    def _alone(self, record: Frame) -> Row:
        return Timeline(None).feed(record)[0]

    def _partner(self, seq: int, request: Row | None = None) -> Row | None:
        record = self._document.record_of_frame(seq)
        if record is None:
            return None
        place = self._document.place_of_frame(seq)
        shown = None if place is None else self._document.show(place)
        if shown is not None and shown.row.seq == seq:
            return self._with_record(shown.row, record)
        row = self._alone(record)
        if request is None:
            return row
        return replace(row, what=f"response to {request.what}", latency=record.t - request.t)

    def _json(self, row: Row, places: set[str]) -> Iterator[tuple[str, str | Line]]:
        assert isinstance(row.record, Frame)
        if len(row.record.raw) > _MOST_SHOWN:
            yield "", [("dim", f"too large to show here: acp-spy view --frame {row.seq}")]
            return
        for mark, line in json_lines(row, places, _MOST_LINES):
            if mark == NO_JSON:
                for part in broken(line, self.room, _MOST_WRAPPED):
                    yield "", [("noise", part)]
            elif width_of(line) <= self.room - 2:
                yield mark, line
            else:
                yield from self._wrapped(mark, line)

    def _wrapped(self, mark: str, line: str) -> Iterator[tuple[str, str | Line]]:
        indent = " " * (len(line) - len(line.lstrip(" ")) + 4)
        room = max(self.room - 2, 20)
        head_of_line = fill(line, room)
        yield mark, head_of_line
        rest = line[len(head_of_line) :]
        for part in broken(rest, max(room - len(indent), 10), _MOST_WRAPPED):
            yield "", [("", f"  {indent}"), ("string", part)]


def _ready(lines: Iterator[Line] | Iterator[list[Piece]]) -> Iterator[tuple[str, Line]]:
    for line in lines:
        yield "", line


def _closing(line: str) -> str:
    return "}" if line.rstrip().endswith("{") else "]"
