"""What docs/doctor.md shows is what is printed, but for the times; its numbers are the code's."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

from support.in_process import acp_spy

from acp_spy.doctor import health_checks, probe
from acp_spy.lint.rules.framing.late_exit_after_eof import PATIENCE

PAGE = (Path(__file__).parents[1] / "docs" / "doctor.md").read_text()
BIN = Path(sys.executable).parent


def run(command, folder):
    program, *words = shlex.split(command)
    assert program == "acp-spy"
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "100"}
    out, err, _ = acp_spy(*words, cwd=folder, env=environment)
    assert err == ""
    return out.replace(f"{folder}/", "/tmp/")


def without_times(text):
    return re.sub(r"\d+(\.\d+)? (µs|ms|s)\b", "#", text)


def test_the_example_is_true(tmp_path):
    (shown,) = re.findall(r"^```console\n\$ (.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    command, _, output = shown.partition("\n")
    assert without_times(run(command, tmp_path)) == without_times(output)


def test_the_fields_are_those_of_the_json(tmp_path):
    reported = json.loads(run("acp-spy doctor --format json -- true", tmp_path))
    table = PAGE.partition("| field | meaning |")[2]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(cells)) == list(reported)


def test_the_numbers_are_those_of_the_code():
    assert f"more than {health_checks._SLOW:.0f} s is noted" in PAGE
    assert f"has to be ended after {PATIENCE:.0f} s" in PAGE
    lines, size = probe._MOST_LINES, probe._MOST_BYTES >> 20
    most = f"(with `--prompt`, {probe._MOST_OF_A_TURN} times as much)"
    assert f"more than {lines:,} lines or {size} MiB {most}" in PAGE
