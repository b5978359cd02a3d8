"""Rows on the terminal: a line each, readable without colour, at any width."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from acp_spy.capture.records import Header
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.lint.rule import Finding
from acp_spy.units import counted, in_span, size, span
from acp_spy.view.diagnosis_text import diagnosis_lines
from acp_spy.view.findings.report import grouped
from acp_spy.view.folding import SPEAKERS, Fold, Item, folded
from acp_spy.view.style import Piece, broken, cut, paint, width_of
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

WIDE = 100  # from here on there is room to say who sends
LARGE = 10_000  # bytes: the size of a frame is shown from here on
_ARROWS = {
    True: {Peer.CLIENT: "client → ", Peer.AGENT: "← agent  ", None: "         "},
    False: {Peer.CLIENT: "→ ", Peer.AGENT: "← ", None: "  "},
}
_STYLES = {Peer.CLIENT: "client", Peer.AGENT: "agent", None: "dim"}
_EDGES = {"start": "╭ ", "end": "╰ ", "": "│ "}
_SIGNS = {"error": "✗", "warning": "▲", "note": "•"}
_LINES_OF_TEXT = 3
_SHORT = 40  # characters
_LINES_OF_FINDING = 6
_BEFORE_ARROW = 22  # cells: number, time, and time since the row before


Line = Sequence[Piece]


class Margin(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the rows before an item decide: the mark of its turn, and if its session is named."""

    gutter: str = "  "
    is_open: bool = False  # a turn goes on below its first line
    names_session: bool = False


class Margins:
    """
    Feed it rows and folds in their order; it gives the margin of each.

    `sessions` is how many there are, if that is known; else they are named from the second on.
    """

    def __init__(self, sessions: int = 0) -> None:
        self._names_sessions = sessions > 1
        self._sessions: set[str] = set()
        self._turns: set[int] = set()

    def copy(self) -> "Margins":
        """Return one that goes on from here alone."""
        copy = Margins()
        copy._names_sessions = self._names_sessions
        copy._sessions, copy._turns = set(self._sessions), set(self._turns)
        return copy

    def of(self, item: Item) -> Margin:
        """Return the margin of the next item."""
        first, last = (item.first, item.last) if isinstance(item, Fold) else (item, item)
        if first.session is not None and not self._names_sessions:
            if len(self._sessions) < 2:
                self._sessions.add(first.session)
            self._names_sessions = len(self._sessions) > 1
        gutter = self._gutter(last)
        return Margin(gutter, bool(self._turns) or gutter == "│ ", self._names_sessions)

    def _gutter(self, row: Row) -> str:
        """Return the mark that shows a turn as a block; what happens meanwhile is inside, too."""
        if row.turn is not None:
            self._turns.add(row.turn)
            if len(self._turns) > 1000:
                self._turns = {row.turn}
            if row.turn_edge == "end":
                self._turns.discard(row.turn)
            return _EDGES[row.turn_edge]
        return "│ " if self._turns and row.kind not in ("closed", "exit") else "  "


class Terminal:
    """
    Rows and folds in, lines out.

    `sessions` is how many there are, if that is known; else they are named from the second on.
    """

    def __init__(self, width: int = 80, *, colour: bool = False, sessions: int = 0) -> None:
        self.colour = colour
        self._margins = Margins(sessions)
        self.resize(width)

    def resize(self, width: int) -> None:
        """Make the lines that follow as wide as the screen is now."""
        self.width = max(width, 40)
        self._arrows = _ARROWS[self.width >= WIDE]
        self._cut = 4 * self.width  # more than can be seen, even where letters carry marks

    def head(self, path: str, header: Header, diagnosis: Diagnosis | None = None) -> list[str]:
        """Return the lines above the rows: which capture this is, and what is wrong with it."""
        when = header.started[:19].replace("T", " ")
        recorded = f"recorded {when} UTC" if when else ""
        agent = f"agent: {' '.join(header.command)}" if header.command else ""
        about = inert(", ".join(filter(None, (recorded, agent)))[: self._cut])
        legend = f"{'':<{_BEFORE_ARROW}}client →  ← agent"
        # A path must stay whole to be copied: the one line that may be too wide.
        named = paint([("bold", inert(path))], colour=self.colour)
        note = self.foot(f"note: {header.note}") if header.note else []
        above, below = (
            [self._painted([("dim", line)])] if line else [] for line in (about, legend)
        )
        why = self.diagnosis(diagnosis) if diagnosis else []
        return [named, *above, *note, *why, *below]

    def diagnosis(self, diagnosis: Diagnosis) -> list[str]:
        """Return the lines of the one answer."""
        return diagnosis_lines(diagnosis, self.width, colour=self.colour)

    def lines(self, item: Item) -> list[str]:
        """Return the lines of a row or fold: its own, its text, its findings."""
        lines = self.pieces(item, self._margins.of(item))
        return [paint(line, colour=self.colour) for line in lines]

    def pieces(self, item: Item, margin: Margin) -> list[Line]:
        """Return the same in pieces, each with its style; `margin` is that of the item."""
        if not isinstance(item, Fold):
            headline = self._row(item, margin)
            return self._block(item, item, margin, headline, "", grouped(item.findings))
        findings = grouped(item.findings)
        text = "" if _fits_beside(item) else item.text
        headline = self._fold(item, margin)
        lines = self._block(item.first, item.last, margin, headline, text, findings)
        if item.more_findings:
            more = f"{'':>23}and {counted(item.more_findings, 'finding')} more"
            lines.append(self._line([("dim", more)]))
        return lines

    def _block(
        self,
        first: Row,
        last: Row,
        around: Margin,
        headline: list[Piece],
        text: str,
        findings: list[tuple[Finding, int]],
    ) -> list[Line]:
        margin = self._margin(first, around.gutter)
        lines = [self._line(margin + headline)]
        if not text and not findings:
            return lines
        indent = sum(width_of(piece) for _, piece in margin)
        below: Piece = ("dim", " " * (indent - 2) + ("│ " if around.is_open else "  "))
        if text:
            style = "thought" if first.stream == "thought" else "" if first.stream else "dim"
            room = self.width - indent - 2
            shown = broken(inert(text.expandtabs(4), but="\n"), room, _LINES_OF_TEXT)
            lines += [self._line([below, (style, f"  {line}")]) for line in shown]
        for finding, count in findings:
            seq = first.seq if first is last else None
            lines += self._finding(finding, seq, count, below, indent)
        return lines

    def findings(self, findings: Iterable[Finding]) -> Iterator[str]:
        """Give the lines of findings that belong to no row."""
        for finding, count in grouped(findings):
            for line in self._finding(finding, None, count, ("", ""), 0):
                yield paint(line, colour=self.colour)

    def foot(self, text: str) -> list[str]:
        """Return a closing line, broken to the width."""
        return [
            paint([("dim", line)], colour=self.colour)
            for line in broken(inert(text), self.width, 5)
        ]

    def _line(self, pieces: Line) -> Line:
        return cut(pieces, self.width)

    def _painted(self, pieces: Line) -> str:
        return paint(self._line(pieces), colour=self.colour)

    def _margin(self, row: Row, gutter: str) -> list[Piece]:
        place = f"{row.seq if row.seq is not None else '':>4} {row.t:>7.3f}"
        gap = f"+{span(row.gap)}" if row.gap >= 0.001 else ""
        room = max(_BEFORE_ARROW - len(place) - 2, 0)
        if len(gap) > room:
            gap = _shorter(gap, room)
        return [
            ("dim", f"{place} {gap:>{room}} "),
            (_STYLES[row.sender], self._arrows[row.sender]),
            ("dim", gutter),
        ]

    def _session(self, row: Row, margin: Margin) -> list[Piece]:
        if row.session is None or not margin.names_session:
            return []
        return [("dim", f"[{inert(short(row.session))}] ")]

    def _row(self, row: Row, margin: Margin) -> list[Piece]:
        style = "struck" if row.fate else "bold" if row.is_message else "noise"
        under = "↳ " if row.mcp and row.tool else ""  # the tool call that it belongs to
        pieces = [*self._session(row, margin), (style, under + inert(row.what[: self._cut]))]
        if row.turn_edge == "start" and row.turn_number is not None:
            pieces.append(("dim", f"  turn {row.turn_number}"))
        took = row.duration if row.latency is None else row.latency
        if took is not None:
            pieces.append(("slow", f"  {span(took)}"))
        if row.size >= LARGE:
            pieces.append(("slow", f"  {size(row.size)}"))
        content = row.gist if row.stream or not row.text else f"{row.gist}: {row.text}"
        if content:
            content = inert(content[: self._cut])
            style = "struck" if row.fate else "failed" if row.failed else ""
            pieces.append((style, f"  {content}"))
        return pieces

    def _fold(self, fold: Fold, margin: Margin) -> list[Piece]:
        first, last = fold.first, fold.last
        if first.stream:
            speaker = SPEAKERS.get(first.stream, first.what)
            what, unit = f"{first.hop} › {speaker}" if first.hop else speaker, "chunk"
            gist = inert(fold.text) if _fits_beside(fold) else ""
        else:
            what, unit = inert(first.what[: self._cut]), "frame"
            gist = inert(last.gist[: self._cut])
        pieces = [*self._session(first, margin), ("bold", what)]
        if fold.duration is not None:
            pieces.append(("slow", f"  {span(fold.duration)}"))
        if gist:
            pieces.append(("", f"  {gist}"))
        if fold.count > 1:
            within = "" if fold.duration is not None else f" {in_span(fold.span)}"
            pieces.append(("dim", f"  {fold.count} {unit}s{within}"))
        if first.stream and fold.rate is not None:
            pieces.append(("dim", f", {_rate(fold.rate)}"))
        if fold.size >= LARGE:
            pieces.append(("slow", f"  {size(fold.size)}"))
        return pieces

    def _finding(
        self, finding: Finding, seq: int | None, count: int, below: Piece, indent: int
    ) -> list[Line]:
        level = finding.severity.value
        place = "" if finding.seq in (seq, 0) else f", frame {finding.seq}"
        times = f" ×{count}" if count > 1 else ""
        label = f"{_SIGNS[level]} {level} {finding.code}{times}"
        text = inert(f"{finding.text} ({finding.must_fix}{place})")
        style, inner = (level, "") if finding.because is None else ("dim", "  ")
        room = self.width - indent - 2 - len(inner)
        first, *rest = broken(f"{label} {text}", room, _LINES_OF_FINDING)
        body = "" if finding.because is None else "dim"
        return [
            self._line([below, (style, inner + first[: len(label)]), (body, first[len(label) :])]),
            *(self._line([below, (body, f"{inner}  {line}")]) for line in rest),
        ]


def show(rows: Iterable[Row], terminal: Terminal, *, fold: bool = True) -> Iterator[str]:
    """Give the lines of `rows`, folded if wanted."""
    for item in folded(rows) if fold else rows:
        yield from terminal.lines(item)


def _fits_beside(fold: Fold) -> bool:
    """Whether a text is a single short piece, which needs no line of its own."""
    return (
        bool(fold.first.stream)
        and fold.count == 1
        and len(fold.text) <= _SHORT
        and "\n" not in fold.text
    )


def short(name: str) -> str:
    """Return a long name cut; filters take it as it is shown."""
    return name if len(name) <= 12 else f"{name[:8]}…"


def _rate(per_second: float) -> str:
    return f"{per_second:.0f}/s" if per_second >= 9.95 else f"{per_second:.1f}/s"


def _shorter(gap: str, room: int) -> str:
    """Return less of a gap, so that rows stay aligned after minutes; the time is exact anyway."""
    number, unit = gap.split()[:2]
    return next((text for text in (f"{number} {unit}", number + unit) if len(text) <= room), "")
