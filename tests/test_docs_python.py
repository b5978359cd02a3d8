"""What docs/python.md shows is so: each example is run, and each name is in the reference."""

import contextlib
import io
import re
import shutil
from pathlib import Path

import msgspec
import pytest

import acp_spy

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```\n\n```text\n(.*?)^```$",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
REFERENCE = dict(re.findall(r"^\| `(\w+)[^|]*\| (.*) \|$", PAGE, re.MULTILINE))


def test_every_example_is_found():
    assert len(EXAMPLES) == PAGE.count("```python\n") == PAGE.count("```text\n")


@pytest.mark.parametrize(
    ("code", "output"), [each[1:] for each in EXAMPLES], ids=[e[0] for e in EXAMPLES]
)
def test_an_example_prints_what_is_shown(code, output, tmp_path, monkeypatch):
    shutil.copy(ROOT / "recordings" / "claude.jsonl", tmp_path / "run.jsonl")
    shutil.copy(ROOT / "recordings" / "kimi.jsonl", tmp_path / "other.jsonl")
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == output


def test_the_first_examples_can_take_a_capture_that_was_cut_off(tmp_path, monkeypatch, capsys):
    opening = (ROOT / "recordings" / "claude.jsonl").read_bytes().splitlines(keepends=True)
    at = next(
        n for n, line in enumerate(opening) if b'"tool_call"' in line or b"tool_call\\" in line
    )
    (tmp_path / "run.jsonl").write_bytes(b"".join(opening[: at + 1]))
    monkeypatch.chdir(tmp_path)
    for _, code, _ in EXAMPLES[:6]:
        exec(code, {})
    assert "open  pending  " in capsys.readouterr().out


def test_all_tool_calls_with_durations_take_five_lines():
    _, code, _ = EXAMPLES[0]
    assert len([line for line in code.splitlines() if line]) <= 5


def test_every_public_name_is_in_the_reference():
    tables = PAGE.partition("## Reference")[2]
    assert set(acp_spy.__all__) - {"__version__"} <= set(re.findall(r"`(\w+)[`(]", tables))


@pytest.mark.parametrize("name", ["Conversation", "Session", "Turn", "ToolCall", "Exchange"])
def test_every_field_is_in_the_reference(name):
    kind = getattr(acp_spy, name)
    properties = [key for key, value in vars(kind).items() if isinstance(value, property)]
    fields = [field.name for field in msgspec.structs.fields(kind)]
    assert set(re.findall(r"`(\w+)`", REFERENCE[name])) == {*fields, *properties}
