"""What docs/doctor.md shows is what is printed, but for the times; its numbers are the code's."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from support.processes import DEADLINE

from acp_spy.doctor import health_checks, probe
from acp_spy.lint.rules.framing.ignored_eof import PATIENCE

PAGE = (Path(__file__).parents[1] / "docs" / "doctor.md").read_text()
BIN = Path(sys.executable).parent


def run(command, folder):
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=DEADLINE,
        check=False,
    )
    return done.stdout.decode().replace(f"{folder}/", "/tmp/")


def without_times(text):
    return re.sub(r"\d+(\.\d+)? (µs|ms|s)\b", "#", text)


def test_the_example_is_true(tmp_path):
    (shown,) = re.findall(r"^```console\n\$ (.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    command, _, output = shown.partition("\n")
    assert without_times(run(command, tmp_path)) == without_times(output)


def test_the_fields_are_those_of_the_json(tmp_path):
    told = json.loads(run("acp-spy doctor --format json -- true", tmp_path))
    table = PAGE.partition("| field | meaning |")[2]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(cells)) == list(told)


def test_the_numbers_are_those_of_the_code():
    assert f"more than {health_checks._SLOW:.0f} s is noted" in PAGE
    assert f"has to be ended after {PATIENCE:.0f} s" in PAGE
    lines, size = probe._MOST_LINES, probe._MOST_BYTES >> 20
    assert f"more than {lines:,} lines or {size} MiB" in PAGE
