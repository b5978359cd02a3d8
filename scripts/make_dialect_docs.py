"""
Write docs/dialects.md from the dialects' own declarations.

    python scripts/make_dialect_docs.py [--check]

With `--check` nothing is written; if the page is stale the exit status is 1.
"""
# ruff: noqa: E501, INP001 - the lines of a page are its own; a script, run by its path

import sys
from collections.abc import Iterable
from pathlib import Path

from acp_spy.dialect.declaration import Dialect, Evidence
from acp_spy.dialect.detect import RECOGNIZED
from acp_spy.dialect.known import DIALECTS, choices
from acp_spy.lint.catalogue import CATALOGUE

PAGE = Path(__file__).parent.parent / "docs" / "dialects.md"
INTRO = f"""
# Dialects

<!-- made by scripts/make_dialect_docs.py: change the dialect's module, not this page -->

Some documents describe another protocol under the name of ACP, and programs are written from them. acp-spy knows
five of these dialects, and the stages of ACP itself before its first release. It understands conversations in all of
them: it matches requests and responses, and follows sessions, turns and texts.

## Detection

`acp-spy check` looks for evidence in the messages of each peer. Each piece of evidence has a weight and counts once.
From a sum of {RECOGNIZED} on, the peer is reported to use the dialect: as the finding [DIA001](rules/DIA001.md), with the
evidence and the official spelling, and as `dialect` in `--format json`. Anything else that is not official has its own
finding.

## Work with the dialect

A peer that speaks a dialect can be used today: `acp-spy --agent-dialect crow -- COMMAND` [translates](translation.md)
between it and official ACP.

## Check against the dialect's own document

```console
$ acp-spy check --dialect crow CAPTURE
```

`--dialect` is one of {", ".join(f"`{name}`" for name in choices())}. It can also be set as `dialect` in `acp-spy.toml`,
or in `[tool.acp-spy]` of pyproject.toml.

- `auto` (the default) detects dialects, and checks everything against official ACP.
- `acp` checks everything against official ACP, and does not detect dialects.
- The name of a dialect checks both peers against its document instead of official ACP. The rules
  [DIA002](rules/DIA002.md), [DIA003](rules/DIA003.md) and [DIA004](rules/DIA004.md) report what does not match the
  document. The rules about lines (`FRM`) also run, and the rules about requests and responses (`RPC`), except those
  about official methods and error codes. Of the rules about order, only those run that are named below.

If a document only shows examples, they are taken literally: a key that is in all examples is required, and a key that
is in none is unknown.
""".strip()

STAGES = """
There is no document to check against: these are successive stages of one crate.

| crate | when | what |
| --- | --- | --- |
| 0.0.1 | June 2025 | threads, see above |
| 0.0.2 to 0.0.10 | July 2 to 18 | one session without an id; every message is a request; `sendUserMessage`, `pushToolCall` |
| 0.0.11 to 0.0.13 | July 22 to 28 | MCP tools named `acp/...`; the update `acp/session_update`, in camelCase |
| 0.0.14 to 0.0.17 | August 2 to 4 | today's methods, but `session/cancelled`; updates in camelCase, at first not inside `update` |
| 0.0.25 to 0.0.29 | August 17 to 20 | as today, but `canceled` |
""".strip()


def page() -> str:
    """Return the whole page."""
    return "\n\n".join([INTRO, *map(section, DIALECTS)]) + "\n"


def section(dialect: Dialect) -> str:
    """Return the section about one dialect."""
    parts = [
        f"## {dialect.name}",
        f"Source: {dialect.origin}. Evidence:",
        _table(
            ("weight", "evidence", "in calls of", "in responses to"), map(_row, dialect.evidence)
        ),
        "Its names, and the official ones:",
        _table(
            (dialect.name, "official"),
            ((f"`{word}`", _quoted(official)) for word, official in dialect.words.items()),
        ),
    ]
    if dialect.document is None:
        parts.append(STAGES)
        return "\n\n".join(parts)
    codes = {rule.name: rule.code for rule in CATALOGUE.values()}
    rules = ", ".join(f"[{codes[n]}](rules/{codes[n]}.md) {n}" for n in dialect.rules)
    parts.append(f"Rules about order that run with `--dialect {dialect.name}`: {rules}.")
    if not dialect.has_jsonrpc:
        parts.append("Its messages are not JSON-RPC: they have no `jsonrpc`.")
    return "\n\n".join(parts)


def _row(evidence: Evidence) -> tuple[str, str, str, str]:
    return str(evidence.weight), evidence.words, _names(evidence.calls), _names(evidence.answers)


def _names(methods: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in methods)


def _quoted(official: str) -> str:
    return official if " " in official else f"`{official}`"


def _table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(words: list[str]) -> int:
    """Write the page, or with `--check` only say whether it is stale."""
    made = page()
    if words == ["--check"]:
        if PAGE.exists() and PAGE.read_text() == made:
            return 0
        sys.stdout.write("docs/dialects.md is stale: run scripts/make_dialect_docs.py\n")
        return 1
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
