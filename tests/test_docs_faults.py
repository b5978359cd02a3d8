"""What docs/faults.md shows is so: the tables are the catalogue's, and the commands are run."""

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from acp_spy.middleware.faults.catalogue import FAULTS, PRESETS, make_faults
from acp_spy.middleware.faults.spec import WHEN
from tests.support.in_process import acp_spy
from tests.support.processes import ACP_SPY, DEADLINE

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
COMMANDS = re.findall(
    r"^```console\n\$ acp-spy ([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


def test_every_fault_is_in_the_table():
    rows = [
        f"| `{name}{f'[:{fault.takes}]' if fault.takes else ''}` | {fault.meaning} |"
        f" `{fault.example}` |"
        for name, fault in FAULTS.items()
    ]
    assert "\n".join(rows) in PAGE


def test_every_preset_is_in_the_table():
    for name, preset in PRESETS.items():
        specs = "<br>".join(f"`{spec}`" for spec in preset.specs)
        assert f"| `{name}` | {preset.meaning} | {specs} |" in PAGE


def test_every_token_is_in_the_table():
    for name, (example, meaning) in WHEN.items():
        assert f"| `{name}:{example}` | {meaning} |" in PAGE


def test_what_is_said_of_several_faults():
    once = ", ".join(f"`{name}`" for name, fault in FAULTS.items() if fault.times == 1)
    assert f"says otherwise: {once}." in PAGE
    alone = ", ".join(f"`{name}`" for name, fault in FAULTS.items() if not fault.needs_frame)
    assert f"These need no frame: {alone}." in PAGE
    for name, fault in FAULTS.items():
        if fault.implies:
            assert f"`{name}` implies `{' '.join(fault.implies)}`" in PAGE


def test_the_specs_for_the_shell_are_right():
    (block,) = re.findall(
        r"^```sh\n(acp-spy --fault 'drop.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    words = shlex.split(block)
    specs = [value for word, value in pairwise(words) if word == "--fault"]
    assert len(specs) == 4
    make_faults(specs)


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[each[0] for each in COMMANDS])
def test_a_command_prints_what_is_shown(command, output, tmp_path):
    words = shlex.split(command)
    if words[0].startswith("-"):  # the proxy is a process
        done = subprocess.run(
            [*ACP_SPY, *words], capture_output=True, text=True, timeout=DEADLINE, check=False
        )
        assert (done.stdout + done.stderr, done.returncode) == (output, 2)
        return
    shutil.copy(ROOT / "recordings" / "gemini.jsonl", tmp_path)
    done = acp_spy(*words, cwd=tmp_path, env={"COLUMNS": "80"})
    assert done.out + done.err == output


def test_the_list_has_every_fault_with_its_example_and_fits():
    shown = acp_spy("faults", env={"COLUMNS": "80"}).out
    for fault in FAULTS.values():
        assert f"--fault {shlex.quote(fault.example)}\n" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_one_fault_and_all_for_programs():
    assert acp_spy("faults", "drop").out == (
        "drop\n    Do not deliver frames.\n    --fault 'drop method:session/update p:0.1'\n"
    )
    listed = json.loads(acp_spy("faults", "--format", "json").out)
    assert [each["name"] for each in listed["faults"]] == list(FAULTS)
    assert [each["name"] for each in listed["presets"]] == list(PRESETS)


def test_an_unknown_name_is_refused():
    done = acp_spy("faults", "latncy")
    assert done.status == 2
    assert "no such fault: `latncy`" in done.err
    assert "did you mean `latency`?" in done.err
