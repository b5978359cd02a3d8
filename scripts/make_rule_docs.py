"""
Write the pages of docs/rules from the rules' own declarations.

    python scripts/make_rule_docs.py [--check]

One page for each rule, README.md with all of them, and coverage.md: every normative row of
rows.toml with the rules that cover it, or the reason why none does. With `--check` nothing is
written; what is stale is named, and the exit status is 1.
"""
# ruff: noqa: INP001 - a script, run by its path

import sys
import tomllib
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.fixes.known import FIXES
from acp_spy.lint.rule import HEADINGS, Rule
from acp_spy.lint.rules import FAMILIES
from acp_spy.view.rule_example import FOUND, ExampleLine, bad_example, good_example, legend
from acp_spy.view.rule_text import FIX, reported

FOLDER = Path(__file__).parent.parent / "docs" / "rules"
MUTATIONS = "mutations.md"  # made by `python -m benchmarks.mutations --write`
NOTE = "<!-- made by scripts/make_rule_docs.py: change the rule, not this page -->"
NOT_YET = "not yet"
LONGEST = 1000  # characters of a line in an example
HOW_TO_FIX = "See [Fix](../fix.md)."
HOW_TO_RUN = "`--severity {0}=note` adds it to the others, `--select {0}` runs only it"
ABOUT_RULES = """
The rules of `acp-spy check`. `acp-spy rule CODE` explains a rule on the terminal, and
`acp-spy rule WORD` searches for one.

An **error** violates a MUST of the specification. A **warning** violates a SHOULD, or something
that lenient readers silently drop. A **note** is worth knowing. *Fix*: acp-spy can
[repair it](../fix.md), always or in some cases.
""".strip()
ABOUT_COVERAGE = """
Every normative statement about ACP, and the rules that check it.

*Binds*: the client (C), the agent (A), both (B), a proxy (P). *Seen*: whether a violation
can be seen on the wire: yes (Y), in part (P), no (N).
""".strip()

Row = dict[str, str]


def pages() -> dict[str, str]:
    """Return every page that is made, by its file name."""
    rules = list(CATALOGUE.values())
    made = {file_name(rule): page(rule) for rule in rules}
    return {**made, "README.md": listing(rules), "coverage.md": coverage(rules, rows())}


def rows() -> dict[str, Row]:
    """Return the normative rows, by their names."""
    return tomllib.loads((FOLDER / "rows.toml").read_text())


def file_name(rule: Rule) -> str:
    """Return the name of a rule's page: by its code, so that links survive a new name."""
    return f"{rule.code}.md"


def page(rule: Rule) -> str:
    """Return the page of one rule."""
    links = [f"- <{rule.spec}>"] if rule.spec else []
    if rule.covers:
        links.append(f"- Rows {', '.join(rule.covers)} of the [coverage table](coverage.md)")
    what, why, instead = rule.sections
    bad, good = bad_example(rule), good_example(rule)
    fix = FIXES.get(rule.code)
    return _joined(
        f"# {rule.code} {rule.name}",
        NOTE,
        f"{rule.summary}. Severity: **{rule.severity.value}**. Since {rule.since}."
        + ("" if rule.by_default else f" Off by default: {HOW_TO_RUN.format(rule.code)}."),
        *(f"## {HEADINGS.what}", what),
        *((f"## {HEADINGS.why}", why) if why else ()),
        f"## Example{_option(rule)}",
        _fenced("\n".join(line for each in bad for line in _example(each))),
        _legend([*bad, *good]),
        f"## {HEADINGS.instead}",
        *([instead] if instead else ()),
        _fenced("\n".join(line for each in good for line in _example(each))),
        *((f"## {FIX}", f"{fix.does} {HOW_TO_FIX}") if fix else ()),
        "## Specification",
        "\n".join([*links, "- [All rules](README.md)"]),
    )


def listing(rules: list[Rule]) -> str:
    """Return the page that lists the rules, by family."""
    parts = [
        "# Rules",
        NOTE,
        ABOUT_RULES,
        (
            "The [coverage table](coverage.md) shows which rule checks which sentence, and"
            " [mutations](mutations.md) how many\nsingle mistakes they find."
        ),
    ]
    for letters, about in FAMILIES.items():
        these = [rule for rule in rules if rule.family == letters]
        if these:
            table = _table(
                ("code", "name", "severity", "fix", "finds"),
                (
                    (
                        f"[{rule.code}]({file_name(rule)})",
                        rule.name,
                        rule.severity.value + ("" if rule.by_default else ", off by default"),
                        _fixes(rule),
                        rule.summary,
                    )
                    for rule in these
                ),
            )
            parts += [f"## {letters}: {about}", table]
    return _joined(*parts)


def _fixes(rule: Rule) -> str:
    fix = FIXES.get(rule.code)
    return "" if fix is None else "always" if fix.always else "sometimes"


def coverage(rules: list[Rule], rows: dict[str, Row]) -> str:
    """Return the page that says for each row which rules cover it, or why none does."""
    parts = [
        "# Coverage",
        NOTE,
        ABOUT_COVERAGE,
    ]
    for section, these in groupby(rows.items(), key=lambda item: item[1]["section"]):
        table = _table(
            ("row", "level", "binds", "seen", "says", "rules"),
            (
                (
                    name,
                    row["level"],
                    row["binds"],
                    row["observable"],
                    row["says"],
                    _covered_by(name, rules) or why_none(row),
                )
                for name, row in these
            ),
        )
        parts += [f"## {section}", table]
    return _joined(*parts)


def why_none(row: Row) -> str:
    """Return the reason why a row has no rule."""
    if "none" in row:
        return row["none"]
    defaults = {"N": "cannot be seen on the wire", "-": "a permission: nothing can violate it"}
    return defaults.get(row["observable"], NOT_YET)


def _covered_by(name: str, rules: list[Rule]) -> str:
    covering = [rule for rule in rules if name in rule.covers]
    return ", ".join(f"[{rule.code}]({file_name(rule)})" for rule in covering)


def _option(rule: Rule) -> str:
    options = rule.budgets.options
    if rule.dialect != "auto":
        options = f"--dialect {rule.dialect}"
    return f" (with `{options}`)" if options else ""


def _example(line: ExampleLine) -> Iterator[str]:
    text = line.text if len(line.text) <= LONGEST else line.text[:LONGEST] + "…"
    yield f"{FOUND if line.findings else '':<3}{line.mark} {text}"
    for finding in line.findings:
        yield f"   {reported(finding)}"
        if finding.hint:
            yield f"   hint: {finding.hint}"


def _legend(lines: list[ExampleLine]) -> str:
    return "; ".join(f"`{mark}` {meaning}" for mark, meaning in legend(lines)) + "."


def _joined(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"


def _fenced(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}text\n{text}\n{fence}"


def _table(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *body]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def stale(made: dict[str, str]) -> list[str]:
    """Return the pages that are not as they should be, and those that should not be."""
    found = {path.name: path.read_text() for path in FOLDER.glob("*.md") if path.name != MUTATIONS}
    return sorted(name for name in {*made, *found} if made.get(name) != found.get(name))


def main(words: list[str]) -> int:
    """Write what is stale, or with `--check` only name it."""
    made = pages()
    wrong = stale(made)
    if words == ["--check"]:
        for name in wrong:
            sys.stdout.write(f"docs/rules/{name} is stale: run scripts/make_rule_docs.py\n")
        return 1 if wrong else 0
    for name in wrong:
        if name in made:
            (FOLDER / name).write_text(made[name])
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
