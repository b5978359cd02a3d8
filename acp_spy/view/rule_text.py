"""Rules explained, from their declarations: to people as text, to programs as JSON values."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.lint.fixes.known import FIXES
from acp_spy.lint.rule import HEADINGS, Finding, Rule
from acp_spy.lint.rules import FAMILIES
from acp_spy.view.findings.fitting import cut_end, fit
from acp_spy.view.layout import Layout
from acp_spy.view.rule_example import (
    FOUND,
    ExampleLine,
    bad_example,
    findings_of_bad,
    good_example,
    legend,
)
from acp_spy.view.style import Piece, paint, wrapped

FIX = "Fix"  # the heading of what acp-spy can repair
HOW_TO_FIX = "Run `acp-spy --fix -- COMMAND`, or `acp-spy check --fix -o FILE CAPTURE`."
_INDENT = "  "
_WIDEST_PROSE = 100
_MARGIN = len(f"{FOUND} ")
_HANGING = len("-> ")
_MOST_LINES = 3  # of a frame that matters; of the others one is shown
_JSONRPC = '"jsonrpc": "2.0", '
_SHORTER = (
    (re.compile(_JSONRPC), "… "),
    (re.compile(r'"params": \{"sessionId": "[^"]*", '), '"params": {… '),
    (re.compile(r'"method": "session/update", "params": \{… '), ""),
)
_BY_ENVELOPE = ("FRM", "RPC", "DIA")  # what their examples are about
Lines = Iterator[Sequence[Piece]]


def reported(finding: Finding) -> str:
    """Return a finding in one line, as `check --format concise` prints it after the place."""
    about = finding.must_fix + (f", frame {finding.seq}" if finding.seq else "")
    about += f", see frame {finding.see}" if finding.see is not None else ""
    return f"{finding.severity.value} {finding.code} {finding.text} ({about})"


def listing(rules: Iterable[Rule], width: int) -> str:
    """Return the catalogue as text: a line for each rule, by family."""
    rules = list(rules)
    lines: list[str] = []
    for letters, about in FAMILIES.items():
        these = [rule for rule in rules if rule.family == letters]
        if not these:
            continue
        lines += ["", f"{letters}  {about}"] if lines else [f"{letters}  {about}"]
        for rule in these:
            head = f"  {rule.code}  {rule.severity.value:<7}  {rule.name}  "
            mark = " [fix]" if rule.code in FIXES else ""
            text = f"{head}{rule.summary}{mark}"
            lines += textwrap.wrap(text, width, subsequent_indent=" " * 19)
    return "\n".join(lines) + "\n"


def explanation(rule: Rule, layout: Layout) -> Iterator[str]:
    """Give the lines that explain a rule, under fixed headings."""
    for pieces in _explanation(rule, layout.width):
        yield paint(pieces, colour=layout.colour)


def _explanation(rule: Rule, width: int) -> Lines:
    level = rule.severity.value
    yield [
        ("bold", f"{rule.code} {rule.name}"),
        ("", " ("),
        (level, level),
        ("", f", since {rule.since}{'' if rule.by_default else ', off by default'})"),
    ]
    yield from _prose(rule.summary, width, "")
    what, why, instead = rule.sections
    yield from _section(HEADINGS.what, _prose(what, width))
    if why:
        yield from _section(HEADINGS.why, _prose(why, width))
    bad, good = bad_example(rule), good_example(rule)
    yield from _section("Example" + _option(rule), _example(rule, bad, width))
    yield from _marks([*bad, *good], width)
    yield from _section(HEADINGS.instead, _prose(instead, width))
    yield from [[]] if instead else []
    yield from _example(rule, good, width)
    if fix := FIXES.get(rule.code):
        yield from _section(FIX, _prose(f"{fix.does} {HOW_TO_FIX}", width))
    yield from _section("Specification", _links(rule, width))


def _section(heading: str, lines: Lines) -> Lines:
    yield []
    yield [("bold", heading)]
    yield from lines


def _links(rule: Rule, width: int) -> Lines:
    # An address must stay in one piece to be clicked.
    if rule.spec:
        yield [("", f"{_INDENT}{rule.spec}")]
    if rule.covers:
        yield from _prose(f"Coverage table: {', '.join(rule.covers)}", width)
    yield [("", f"{_INDENT}Online: {rule.url}")]


def description(rule: Rule) -> dict[str, Any]:
    """Return all that a rule says of itself, as a JSON value."""
    what, why, instead = rule.sections
    return {
        **headline(rule),
        "explanation": rule.explanation,
        "what": what,
        "why": why,
        "instead": instead,
        "fix": fix.does if (fix := FIXES.get(rule.code)) else "",
        "spec": rule.spec,
        "url": rule.url,
        "since": rule.since,
        "covers": list(rule.covers),
        "bad": rule.bad,
        "good": rule.good,
        "findings": msgspec.to_builtins(findings_of_bad(rule)),
    }


def headline(rule: Rule) -> dict[str, Any]:
    """Return what identifies a rule, and what it is about, as a JSON value."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "severity": rule.severity.value,
        "by_default": rule.by_default,
        "summary": rule.summary,
    }


def paragraphs(text: str, width: int) -> list[str]:
    """Return the lines of `text`, wrapped; a paragraph with a layout of its own is kept."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        laid_out = any(line.startswith((" ", "- ", "|", "```")) for line in paragraph.split("\n"))
        lines += [""] if lines else []
        lines += (
            paragraph.split("\n")
            if laid_out
            else textwrap.wrap(paragraph, width, break_on_hyphens=False)
        )
    return lines


def _prose(text: str, width: int, indent: str = _INDENT) -> Lines:
    room = min(width, _WIDEST_PROSE) - len(indent)
    for line in paragraphs(text, room) if text else ():
        yield [("", f"{indent}{line}")]


def _option(rule: Rule) -> str:
    options = rule.budgets.options
    if rule.dialect != "auto":
        options = f"--dialect {rule.dialect}"
    return f" (with {options})" if options else ""


def _example(rule: Rule, lines: Iterable[ExampleLine], width: int) -> Lines:
    whole = rule.family in _BY_ENVELOPE
    for line in lines:
        margin = f"{_INDENT}{FOUND if line.findings else '':<{_MARGIN}}"
        room = width - len(margin) - _HANGING
        for number, pieces in enumerate(_fitted(line, room, whole=whole)):
            head = [("error" if line.findings else "", margin), ("", f"{line.mark} ")]
            blank = [("", " " * (width - room))]
            yield [*(head if number == 0 else blank), *pieces]
        for found in line.findings:
            yield from _finding(found, width)


def _fitted(line: ExampleLine, room: int, *, whole: bool) -> Iterator[list[Piece]]:
    """Give the lines that one becomes: few, and the place that it is about is in them."""
    if not line.matters:
        yield [("dim", cut_end(_shortened(line.text, room), room))]
        return
    before, place, after = line.before, line.place, line.after
    # Lines are broken between words: some of the room is not used.
    most = _MOST_LINES * (room - 8) if room > 40 else room
    if not whole and len(line.text) > room:
        before = _shortened(before, max(room, most - len(place + after)), most=2)
    before, place, after = fit(before, place, after, most)
    yield from wrapped([("", before), ("bold", place), ("", after)], room)


def _shortened(text: str, room: int, most: int = len(_SHORTER)) -> str:
    """Return a message without what all have, as far as that is needed."""
    for whole, short in _SHORTER[:most]:
        if len(text) > room:
            text = whole.sub(short, text, count=1)
    return text


def _finding(found: Finding, width: int) -> Lines:
    margin = " " * (len(_INDENT) + _MARGIN)
    level = found.severity.value
    text = reported(found).removeprefix(level)
    for line in wrapped([(level, level), ("", text)], width - len(margin)):
        yield [("", margin), *line]
    for line in wrapped([("", f"hint: {found.hint}")], width - len(margin)) if found.hint else ():
        yield [("", margin), *line]


def _marks(lines: Sequence[ExampleLine], width: int) -> Lines:
    words = ", ".join(f"{mark} {meaning}" for mark, meaning in legend(lines))
    for line in textwrap.wrap(f"({words})", width - len(_INDENT), break_on_hyphens=False):
        yield [("dim", f"{_INDENT}{line}")]
