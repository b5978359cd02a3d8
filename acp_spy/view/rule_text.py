"""Rules explained, from their declarations: to people as text, to programs as JSON values."""

import textwrap
from collections.abc import Iterable
from typing import Any

import msgspec

from acp_spy.capture.transcript import parse
from acp_spy.lint.rule import Finding, Rule
from acp_spy.lint.rules import FAMILIES
from acp_spy.lint.ruleset import check

# Of a transcript; `->` and `<-` explain themselves.
_MARKS = {
    "~>": "bytes from the client, as Python spells them",
    "<~": "bytes from the agent, as Python spells them",
    "!!": "a line on stderr",
    "@": "the time, in seconds",
    "==": "the agent's exit status",
}


def findings_of_bad(rule: Rule) -> list[Finding]:
    """Return what the rule finds in its own bad example."""
    return check(parse(rule.bad), [rule], dialect=rule.dialect)


def one_line(finding: Finding) -> str:
    """Return a finding in one line, as an example shows it."""
    place = f"frame {finding.seq}" + (f", {finding.path}" if finding.path else "")
    seen = f", see frame {finding.see}" if finding.see is not None else ""
    return (
        f"{finding.severity.value}: {finding.text} ({place}{seen}; {finding.blame.value} to blame)"
    )


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
            lines += textwrap.wrap(head + rule.summary, width, subsequent_indent=" " * 19)
    return "\n".join(lines) + "\n"


def explanation(rule: Rule, width: int) -> str:
    """Return all that a rule says of itself, as text. Examples are never wrapped."""
    parts = [
        f"{rule.code} {rule.name}  ({rule.severity.value}, since {rule.since})",
        *_wrapped(rule.summary, width),
        "",
        *paragraphs(rule.explanation, width),
        "",
        "Wrong:",
        *_indented(rule.bad),
        "",
        f"What is found in it{_option(rule)}:",
        *(line for finding in findings_of_bad(rule) for line in _example(finding, width)),
        "",
        "Right:",
        *_indented(rule.good),
    ]
    if marks := _legend(rule):
        parts += ["", *_wrapped(f"In the examples: {marks}", width)]
    if rule.spec:
        parts += ["", f"Specification: {rule.spec}"]
    if rule.covers:
        rows = f"Covers, in docs/rules/coverage.md: {', '.join(rule.covers)}"
        parts += ["", *_wrapped(rows, width)]
    return "\n".join(parts) + "\n"


def description(rule: Rule) -> dict[str, Any]:
    """Return all that a rule says of itself, as a JSON value."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "severity": rule.severity.value,
        "summary": rule.summary,
        "explanation": rule.explanation,
        "spec": rule.spec,
        "since": rule.since,
        "covers": list(rule.covers),
        "bad": rule.bad,
        "good": rule.good,
        "findings": msgspec.to_builtins(findings_of_bad(rule)),
    }


def paragraphs(text: str, width: int) -> list[str]:
    """Return the lines of `text`, wrapped; a paragraph with a layout of its own is kept."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        laid_out = any(line.startswith((" ", "- ", "|", "```")) for line in paragraph.split("\n"))
        lines += [""] if lines else []
        lines += paragraph.split("\n") if laid_out else _wrapped(paragraph, width)
    return lines


def _legend(rule: Rule) -> str:
    """Return what the marks in the examples mean that do not explain themselves."""
    lines = (*rule.bad.split("\n"), *rule.good.split("\n"))
    used = {line.strip().partition(" ")[0] for line in lines}
    return "; ".join(f"`{mark}` {meaning}" for mark, meaning in _MARKS.items() if mark in used)


def _option(rule: Rule) -> str:
    return f" with --dialect {rule.dialect}" if rule.dialect != "auto" else ""


def _example(finding: Finding, width: int) -> list[str]:
    lines = _wrapped(one_line(finding), width, "  ")
    return lines + (_wrapped(f"hint: {finding.hint}", width, "  ") if finding.hint else [])


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _indented(text: str) -> list[str]:
    return [f"  {line}" if line else "" for line in text.split("\n")]
