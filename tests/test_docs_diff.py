"""What docs/diff.md shows is so: the output in full, and the fields of the JSON document."""

import json
import re
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.talks import write_two_days

PAGE = (Path(__file__).parent.parent / "docs" / "diff.md").read_text(encoding="utf-8")


@pytest.fixture
def diff(tmp_path):
    write_two_days(tmp_path)
    words = ("diff", "monday.jsonl", "tuesday.jsonl")
    return lambda *more: acp_spy(*words, *more, cwd=tmp_path, env={"COLUMNS": "80"})


def test_the_output_is_the_one_that_is_shown(diff):
    out, _, status = diff()
    assert status == 1
    assert f"```console\n$ acp-spy diff monday.jsonl tuesday.jsonl\n{out}```\n" in PAGE


def test_the_two_sides_of_one_capture_are_compared_as_shown():
    fixtures = Path(__file__).parent.parent / "fixtures"
    words = ("diff", "with-deliveries.jsonl", "--delivered")
    out, _, status = acp_spy(*words, cwd=fixtures, env={"COLUMNS": "80"})
    assert status == 1
    assert f"```console\n$ acp-spy diff with-deliveries.jsonl --delivered\n{out}```\n" in PAGE


def test_two_captures_are_compared_as_delivered():
    fixtures = Path(__file__).parent.parent / "fixtures"
    name = "with-deliveries.jsonl"
    out, _, status = acp_spy("diff", name, name, "--delivered", cwd=fixtures)
    assert status == 0
    assert out.startswith(f"- {name} (delivered)\n")
    assert acp_spy("diff", name, cwd=fixtures).status == 2


def test_every_field_of_the_document_is_explained(diff):
    shown = json.loads(diff("--format", "json").out)
    tables = re.findall(r"^(?:\| `.*\n)+", PAGE, re.MULTILINE)
    fields = [
        set(re.findall(r"`(\w+)`", re.sub(r"\|[^|]*\|[^|]*\|$", "", row, flags=re.MULTILINE)))
        for row in tables
    ]
    assert [set(shown), set(shown["a"]), set(shown["changes"][0])] == fields
