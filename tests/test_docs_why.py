"""What docs/why.md shows is what is printed; its table is that of the declarations."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.diagnoses import EXAMPLES, HANG
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "why.md").read_text()
SHOWN = re.findall(r"^```console\n\$ acp-spy (.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    header = Header(started="2026-01-05T09:30:00.250000Z", command=("example-agent",))
    (tmp_path / "run.jsonl").write_bytes(encode([header, *parse(HANG)]))
    dropped = [header, *EXAMPLES["frame-dropped"].records()[1:]]
    (tmp_path / "dropped.jsonl").write_bytes(encode(dropped))
    shutil.copy(ROOT / "recordings" / "vibe.jsonl", tmp_path)
    return tmp_path


@pytest.mark.parametrize("shown", SHOWN)
def test_the_examples_are_true(shown, folder):
    command, _, output = shown.partition("\n")
    done = acp_spy(*command.split(), cwd=folder, env={"COLUMNS": "80"})
    assert (done.out, done.err) == (output, "")
    assert done.status == (command != "why vibe.jsonl")


def test_the_fields_are_those_of_the_json(folder):
    told = json.loads(acp_spy("why", "--format", "json", "run.jsonl", cwd=folder).out)
    table = PAGE.partition("| field | meaning |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == list(told)
    assert list(told["diagnosis"]) == ["kind", "text", "blame", "seq", "hint"]


def test_the_table_is_made_of_the_declarations():
    script = ROOT / "scripts" / "make_why_docs.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0
