"""
For people: each mistake with the frame it is in, the place marked, and what to do about it.

Readable without colour, at any width. What a peer has sent is shown, and never obeyed.
"""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from acp_spy.lint.rule import Rule, Severity
from acp_spy.view.findings.excerpt import Excerpt
from acp_spy.view.findings.fitting import fit
from acp_spy.view.findings.report import LEVELS, Mistake, Report
from acp_spy.view.findings.summary import sum_up, sum_up_all
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold blue"}
_ARROWS = {Peer.CLIENT: "client →", Peer.AGENT: "← agent"}
_INDENT = "  "


def render(reports: Iterable[Report], console: Console) -> None:
    """Print a section for each report, and at the end what they come to."""
    seen: list[Report] = []
    for report in reports:
        if seen:
            console.print()
        _print_report(report, console)
        seen.append(report)
    if len(seen) > 1:
        console.print()
        _wrapped(console, sum_up_all(seen), "bold")


def _print_report(report: Report, console: Console) -> None:
    rules = {rule.code: rule for rule in report.rules}
    if report.mistakes:
        _wrapped(console, inert(report.path), "bold underline")
        console.print()
    # Who reads from the top wants to know first what is worst; within that, what came first.
    for mistake in sorted(report.mistakes, key=lambda one: LEVELS.index(one.first.severity)):
        _print_mistake(report, mistake, console)
        if rule := rules.pop(mistake.first.code, None):  # once is enough for a rule
            _print_links(rule, console)
        console.print()
    for number, line in enumerate(sum_up(report)):
        _wrapped(console, line, "" if number else "bold", indent=_INDENT if number else "")


def _print_mistake(report: Report, mistake: Mistake, console: Console) -> None:
    found = mistake.first
    shown = report.excerpt_of(found)
    headline = Text(f"{found.severity.value} {found.code}", _COLOURS[found.severity])
    headline.append(f" {found.name}", "bold")
    place = f"frame {found.seq} {found.blame.value}" if found.seq else found.blame.value
    headline.append(f"  {place}  {shown.t if shown else found.t:.3f} s", "dim")
    _wrapped(console, headline)
    _wrapped(console, inert(found.text), indent=_INDENT)
    if shown:
        _print_excerpt(found.seq, shown, console)
    if found.see is not None:
        _wrapped(console, f"see frame {found.see}", "dim", indent=_INDENT)
        if seen := report.excerpts.get((found.see, "")):
            _print_excerpt(found.see, seen, console)
    if mistake.others:
        _wrapped(console, mistake.others, indent=_INDENT)
    if found.hint:
        _wrapped(console, f"hint: {inert(found.hint)}", indent=_INDENT)


def _print_links(rule: Rule, console: Console) -> None:
    _wrapped(console, f"more: acp-spy rule {rule.code}", "dim", indent=_INDENT)
    if rule.spec:
        # A link must stay in one piece to be clicked: the one line that may be too wide.
        link = Text(f"{_INDENT}spec: {rule.spec}", "dim")
        console.print(link, no_wrap=True, overflow="ignore", crop=False)


def _print_excerpt(seq: int, shown: Excerpt, console: Console) -> None:
    margin = f"{_INDENT}{seq:>4}  {_ARROWS[shown.sender]:<9}"
    room = console.width - cell_len(margin)
    before, place, after = fit(inert(shown.before), inert(shown.place), inert(shown.after), room)
    line = Text(margin, "dim")
    line.append(before, "default")
    line.append(place, "bold")
    line.append(after, "default")
    console.print(line, no_wrap=True, overflow="ellipsis")
    if place:
        blank = " " * cell_len(margin + before)
        console.print(Text(blank + "^" * cell_len(place), "bold red"), no_wrap=True)


def _wrapped(console: Console, told: str | Text, style: str = "", *, indent: str = "") -> None:
    """Print `told`, every line of it indented, within the width."""
    text = told if isinstance(told, Text) else Text(told, style)
    for line in text.wrap(console, max(20, console.width - len(indent))):
        line.rstrip()
        console.print(Text(indent) + line, no_wrap=True, overflow="ignore", crop=False)
