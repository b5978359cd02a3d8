"""What docs/import.md shows is true: its commands are run, its table is that of the modules."""

import re
import shutil
from pathlib import Path

import pytest
from support.in_process import acp_spy

from acp_spy.capture.foreign.detect import _CLEARLY, _MOST_LINES
from acp_spy.capture.foreign.known import FORMATS
from acp_spy.capture.foreign.source import LARGEST_WHOLE, LONGEST_FOREIGN_LINE, MIB

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")
FOREIGN = ROOT / "fixtures" / "foreign"
COLUMNS = "| `--from` | what it is | keeps | loses |\n| --- | --- | --- | --- |\n"


def sessions():
    """Give each command that the page shows, with the output that it shows for it."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = shown.partition("\n")
            yield command, output


@pytest.mark.parametrize(("command", "output"), list(sessions()))
def test_every_command_gives_the_output_that_is_shown(command, output, tmp_path):
    program, *words = command.split()
    assert program == "acp-spy"
    folder = shutil.copytree(FOREIGN, tmp_path / "foreign")
    out, err, _ = acp_spy(*words, cwd=folder)
    assert err + out == output


def test_the_table_is_that_of_the_modules():
    rows = [f"| `{f.name}` | {f.title} | {f.keeps} | {f.lost} |\n" for f in FORMATS]
    assert COLUMNS + "".join(rows) in PAGE


def test_it_says_of_each_format_how_to_make_a_file():
    section = PAGE.partition("## Where the files come from")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE) == [f.name for f in FORMATS]


def test_its_numbers_are_those_of_the_code():
    assert f"up to {LONGEST_FOREIGN_LINE // MIB} MiB. A JSON" in PAGE
    assert f"as a whole, up to {LARGEST_WHOLE // MIB} MiB" in PAGE
    assert f"looked at, {_MOST_LINES} at most" in PAGE
    assert _CLEARLY == 4
    assert "four times as many lines" in PAGE


def test_every_fixture_is_named_in_their_readme():
    readme = (FOREIGN / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(.+?)` \|", readme, re.MULTILINE))
    assert named == {path.name for path in FOREIGN.iterdir()} - {"README.md"}
