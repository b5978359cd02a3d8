"""What docs/scripts.md shows is so: each example is run over the capture that it names."""

import re
import shutil
from pathlib import Path

import pytest

from acp_spy.middleware.scripts.event import Event
from acp_spy.middleware.scripts.load import FUNCTIONS
from tests.support.in_process import acp_spy

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scripts.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^### ([^\n]+)\n(?:(?!^### ).)*?^```python\n(.*?)^```\n\n```console\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)


def test_every_example_is_found():
    assert len(EXAMPLES) == PAGE.count("```python\n") == PAGE.count("```console\n") == 12


@pytest.mark.parametrize(
    ("code", "shown"), [each[1:] for each in EXAMPLES], ids=[e[0] for e in EXAMPLES]
)
def test_an_example_does_what_is_shown(code, shown, tmp_path):
    command, _, output = shown.partition("\n")
    words = command.removeprefix("$ acp-spy ").split()
    (tmp_path / words[-1]).write_text(code, encoding="utf-8")
    capture = ROOT / "recordings" / words[1]
    words[1] = shutil.copy(capture, tmp_path / "run.jsonl")
    done = acp_spy(*words, cwd=tmp_path, env={"COLUMNS": "80"})
    assert done.out + done.err == output


def test_every_function_is_in_the_table():
    named = re.findall(r"^\| `(\w+)\((?:event|conversation|line)\)` \|", PAGE, re.MULTILINE)
    assert tuple(named) == FUNCTIONS


def test_everything_that_an_event_has_is_in_the_tables():
    has = {name for name in vars(Event) if not name.startswith("_")} - {"outcome", "delayed_by"}
    assert has == set(re.findall(r"`event\.(\w+)", PAGE))
