"""docs/dialects.md is made from the dialects' modules, and is current."""

import subprocess
import sys
from pathlib import Path

from support.processes import DEADLINE

from acp_spy.dialect.known import DIALECTS, choices

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "dialects.md").read_text()


def test_the_page_is_current():
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "make_dialect_docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert (made.stdout, made.stderr, made.returncode) == ("", "", 0)


def test_every_dialect_is_there_with_all_its_words():
    for dialect in DIALECTS:
        section = PAGE.partition(f"\n## {dialect.name}\n")[2].partition("\n## ")[0]
        assert [word for word in dialect.words if f"| `{word}` |" not in section] == []
        assert [one.words for one in dialect.evidence if one.words not in section] == []


def test_so_is_every_choice():
    assert all(f"`{name}`" in PAGE for name in choices())
