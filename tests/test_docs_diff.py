"""What docs/diff.md shows is so: the output in full, and the fields of the JSON document."""

import json
import re
from pathlib import Path

import pytest
from support.talks import write_two_days

from acp_spy.cli.entry import run

PAGE = (Path(__file__).parent.parent / "docs" / "diff.md").read_text(encoding="utf-8")


@pytest.fixture
def diff(tmp_path, monkeypatch, capfd):
    write_two_days(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def diff(*words):
        status = run(["diff", *words])
        return capfd.readouterr().out, status

    return diff


def test_the_output_is_the_one_that_is_shown(diff):
    out, status = diff("monday.jsonl", "tuesday.jsonl")
    assert status == 1
    assert f"```console\n$ acp-spy diff monday.jsonl tuesday.jsonl\n{out}```\n" in PAGE


def test_every_field_of_the_document_is_explained(diff):
    shown = json.loads(diff("monday.jsonl", "tuesday.jsonl", "--format", "json")[0])
    tables = re.findall(r"^(?:\| `.*\n)+", PAGE, re.MULTILINE)
    fields = [
        set(re.findall(r"`(\w+)`", re.sub(r"\|[^|]*\|[^|]*\|$", "", row, flags=re.MULTILINE)))
        for row in tables
    ]
    assert [set(shown), set(shown["a"]), set(shown["changes"][0])] == fields
