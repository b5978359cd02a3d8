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
from acp_spy.dialect.detect import RECOGNISED
from acp_spy.dialect.known import DIALECTS, choices
from acp_spy.lint.catalogue import CATALOGUE

PAGE = Path(__file__).parent.parent / "docs" / "dialects.md"
INTRO = f"""
# Dialects

<!-- made by scripts/make_dialect_docs.py: change the dialect's module, not this page -->

Some documents describe something else under the name of ACP, and programs are written from them. acp-spy knows
five such dialects, and the stages of ACP itself before its first release. It follows a conversation in any of
them: requests find their answers, sessions and turns are known, texts are read.

## Recognised

`acp-spy check` looks for evidence in the messages of each peer. Each piece has a weight and counts once, however
often it is seen. From a sum of {RECOGNISED} on the peer is said to speak the dialect: as the finding
[DIA001](rules/DIA001.md), with the evidence and the official spelling, and as `dialect` in
`--format json`. The evidence is told there, in every place where it shows; whatever else is not official has a
finding of its own.

## Judged by its own document

```console
$ acp-spy check --dialect crow CAPTURE
```

`--dialect` is one of {", ".join(f"`{name}`" for name in choices())}; the same words can stand as `dialect` in
`acp-spy.toml`, or in `[tool.acp-spy]` of pyproject.toml.

- `auto`, the default: dialects are recognised, and everybody is judged by official ACP.
- `acp`: everything is judged by official ACP, and nobody is said to speak anything else.
- a dialect: both peers are read in it, and judged by its document instead of official ACP. What is not as the
  document has it is found by the rules [DIA002](rules/DIA002.md),
  [DIA003](rules/DIA003.md) and [DIA004](rules/DIA004.md). The rules about
  lines (`FRM`) are asked as well, and so are those about requests and answers (`RPC`), as far as they are not about
  official methods and error codes; of the rules about order, those that are named below.

What a document only shows in examples is taken at its word: a key that is in all examples is required, and one that
is in none is not known.
""".strip()

STAGES = """
There is no document to judge by: these are stages of one crate, one after the other.

| crate | when | what |
| --- | --- | --- |
| 0.0.1 | June 2025 | threads, see above |
| 0.0.2 to 0.0.10 | July 2 to 18 | one conversation without a name; everything is a request; `sendUserMessage`, `pushToolCall` |
| 0.0.11 to 0.0.13 | July 22 to 28 | MCP tools called `acp/...`; the update `acp/session_update`, in camelCase |
| 0.0.14 to 0.0.17 | August 2 to 4 | today's methods, but `session/cancelled`; updates in camelCase, at first without `update` around them |
| 0.0.25 to 0.0.29 | August 17 to 20 | as today, but `canceled` |
""".strip()


def page() -> str:
    """Return the whole page."""
    return "\n\n".join([INTRO, *map(section, DIALECTS)]) + "\n"


def section(dialect: Dialect) -> str:
    """Return what is to be said about one dialect."""
    parts = [
        f"## {dialect.name}",
        f"From {dialect.origin}. Recognised by:",
        _table(("weight", "evidence", "in calls of", "in answers to"), map(_row, dialect.evidence)),
        "Its words, and the official ones:",
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
    parts.append(f"With `--dialect {dialect.name}`, of the rules about order: {rules}.")
    if not dialect.has_jsonrpc:
        parts.append("Its messages are not JSON-RPC's: they have no `jsonrpc`.")
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
