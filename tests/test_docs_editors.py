"""What docs/editors.md shows is what `acp-spy setup` prints; its table is that of the modules."""

import re
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy

from acp_spy.editors.editor import Machine
from acp_spy.editors.known import EDITORS

PAGE = (Path(__file__).parents[1] / "docs" / "editors.md").read_text()
HEADINGS = {
    "zed": "Zed",
    "jetbrains": "JetBrains IDEs",
    "neovim": "Neovim",
    "emacs": "Emacs",
    "vscode": "VS Code",
    "toad": "Toad",
    "acpx": "acpx",
}


def section(name):
    return PAGE.partition(f"\n## {HEADINGS[name]}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", EDITORS)
def test_every_snippet_is_what_is_printed(name):
    out = acp_spy("setup", name, "--", "claude-agent-acp", env={"HOME": "/home/dev"}).out
    (shown,) = re.findall(r"^```\w+\n(.*?)^```$", section(name), re.MULTILINE | re.DOTALL)
    program = str(Path(sys.executable).parent / "acp-spy")
    assert out.replace(program, "/home/dev/.venv/bin/acp-spy") == shown


def test_the_table_is_that_of_the_modules():
    for editor in EDITORS.values():
        linux, mac = (editor.file(Machine(system, "~", {})) for system in ("linux", "darwin"))
        cells = [
            f"`{editor.name}`",
            f"`{linux}`" if linux else "none",
            f"`{mac}`" if mac != linux else "the same",
            ", ".join(f"`{key}`" for key in editor.keys) or "-",
            "yes" if editor.entry else "no",
        ]
        assert f"| {' | '.join(cells)} |\n" in PAGE


def test_it_says_how_each_editor_was_verified():
    output = PAGE.partition("## How this was verified")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (?!editor|---)(.+?) \|", output, re.MULTILINE) == list(
        HEADINGS.values()
    )
