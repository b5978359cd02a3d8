"""
For people: each mistake with the frame it is in, the place marked, and what to do about it.

Readable without colour, at any width. What a peer has sent is shown, and never obeyed.
"""

from collections.abc import Iterable, Iterator, Sequence

from acp_spy.lint.rule import Rule
from acp_spy.view.diagnosis_text import diagnosis_style
from acp_spy.view.findings.excerpt import Excerpt
from acp_spy.view.findings.fitting import fit
from acp_spy.view.findings.report import LEVELS, Mistake, Report
from acp_spy.view.findings.summary import summarize, summarize_all
from acp_spy.view.layout import Layout
from acp_spy.view.style import Piece, paint, width_of, wrapped
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

_ARROWS = {Peer.CLIENT: "client →", Peer.AGENT: "← agent"}
INDENT = "  "
_NARROWEST = 20
Lines = Iterator[Sequence[Piece]]


def render(reports: Iterable[Report], layout: Layout) -> Iterator[str]:
    """Give the lines of a section for each report, and at the end what they come to."""
    for pieces in _sections(reports, layout.width):
        yield paint(pieces, colour=layout.colour) + "\n"


def _sections(reports: Iterable[Report], width: int) -> Lines:
    seen: list[Report] = []
    for report in reports:
        if seen:
            yield []
        yield from _section(report, width)
        seen.append(report)
    if len(seen) > 1:
        yield []
        yield from wrapped_lines([("bold", summarize_all(seen))], width)


def _section(report: Report, width: int) -> Lines:
    rules = {rule.code: rule for rule in report.rules}
    if report.diagnosis or report.mistakes:
        named: list[Piece] = [("title", inert(report.name))]
        found = report.diagnosis
        kind: list[Piece] = [("", ": "), (diagnosis_style(found), found.words)] if found else []
        yield from wrapped_lines(named + kind, width)
        if found:
            yield from wrapped_lines([("", inert(found.text))], width, indent=INDENT)
        yield from [[]] if report.mistakes else []
    # The worst first; within a severity, in the order of the frames.
    for mistake in sorted(report.mistakes, key=lambda one: LEVELS.index(one.first.severity)):
        yield from _mistake(report, mistake, width)
        if rule := rules.pop(mistake.first.code, None):  # once is enough for a rule
            yield from _links(rule, width)
        yield []
    for number, line in enumerate(summarize(report)):
        yield from wrapped_lines(
            [("" if number else "bold", line)], width, indent=INDENT if number else ""
        )


def _mistake(report: Report, mistake: Mistake, width: int) -> Lines:
    found = mistake.first
    shown = report.excerpt_of(found)
    level = found.severity.value
    place = f"frame {found.seq}  {found.must_fix}" if found.seq else found.must_fix
    time = f"{shown.t if shown else found.t:.3f} s"
    headline = [
        (level, f"{level} {found.code}"),
        ("bold", f" {found.name}"),
        ("dim", f"  {place}  {time}"),
    ]
    yield from wrapped_lines(headline, width)
    yield from wrapped_lines([("", inert(found.text))], width, indent=INDENT)
    if shown:
        yield from excerpt_lines(found.seq, shown, width)
    if found.see is not None:
        yield from wrapped_lines([("dim", f"see frame {found.see}")], width, indent=INDENT)
        if seen := report.excerpts.get((found.see, "")):
            yield from excerpt_lines(found.see, seen, width)
    if mistake.others:
        yield from wrapped_lines([("", mistake.others)], width, indent=INDENT)
    if found.hint:
        yield from wrapped_lines([("", f"hint: {inert(found.hint)}")], width, indent=INDENT)
    if mistake.follows:
        yield from wrapped_lines([("dim", mistake.follows)], width, indent=INDENT)


def _links(rule: Rule, width: int) -> Lines:
    yield from wrapped_lines([("dim", f"more: acp-spy rule {rule.code}")], width, indent=INDENT)
    if rule.spec:
        # A link must stay in one piece to be clicked: the one line that may be too wide.
        yield [("dim", f"{INDENT}spec: {rule.spec}")]


def excerpt_lines(seq: int, shown: Excerpt, width: int) -> Lines:
    """Give a frame as a line, with its place marked below it."""
    margin = f"{INDENT}{seq:>4}  {_ARROWS[shown.sender]:<9}"
    room = width - width_of(margin)
    before, place, after = fit(inert(shown.before), inert(shown.place), inert(shown.after), room)
    yield [("dim", margin), ("", before), ("bold", place), ("", after)]
    if place:
        blank = " " * width_of(margin + before)
        yield [("error", blank + "^" * width_of(place))]


def wrapped_lines(pieces: Sequence[Piece], width: int, *, indent: str = "") -> Lines:
    """Give the lines of `pieces`, each of them indented, within the width."""
    for line in wrapped(pieces, max(_NARROWEST, width - len(indent))):
        yield [("", indent), *line]
