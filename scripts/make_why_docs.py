"""
Write the table of kinds in docs/why.md from their declarations.

    python scripts/make_why_docs.py [--check]

With `--check` nothing is written; if the page is stale the exit status is 1.
"""
# ruff: noqa: INP001 - a script, run by its path

import re
import sys
from pathlib import Path

from acp_spy.diagnosis import cases  # noqa: F401 - declares the kinds
from acp_spy.diagnosis.kinds import KINDS

PAGE = Path(__file__).parent.parent / "docs" / "why.md"
HEAD = "| kind | in words | meaning |\n| --- | --- | --- |\n"


def with_table(page: str) -> str:
    """Return the page with the table as it is declared."""
    rows = "".join(
        f"| `{kind.name}` | {kind.words} | {kind.meaning} |\n" for kind in KINDS.values()
    )
    return re.sub(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: HEAD + rows, page)


def main() -> int:
    """Write the table, or check it."""
    old = PAGE.read_text(encoding="utf-8")
    new = with_table(old)
    if "--check" in sys.argv[1:]:
        return int(old != new)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
