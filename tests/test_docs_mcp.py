"""What docs/mcp.md shows is what an agent gets; its table has every tool."""

import json
import re
from pathlib import Path

import pytest
from support.diagnoses import HANG
from support.mcp_client import answers, listed

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.cli.commands import COMMANDS
from acp_spy.mcp_server.answer import MOST_CHARACTERS
from acp_spy.mcp_server.captures import Captures

PAGE = (Path(__file__).parents[1] / "docs" / "mcp.md").read_text()
SHOWN = re.findall(r"^```json\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
CALLS = [("diagnosis", {}), ("frame", {"frame": 7})]


@pytest.fixture
def captures(tmp_path, monkeypatch):
    header = Header(started="2026-01-05T09:30:00.250000Z", command=("example-agent",))
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures" / "run.jsonl").write_bytes(encode([header, *parse(HANG)]))
    monkeypatch.chdir(tmp_path)
    return Captures("captures")


def test_the_answers_are_true(captures):
    """They are one line each; the page breaks them."""
    got = [json.loads(text) for text in answers(captures, *CALLS)]
    assert [json.loads(shown) for shown in SHOWN] == got


def test_the_calls_are_those_that_the_page_names():
    for name, arguments in CALLS:
        shown = f"`{json.dumps(arguments)}`" if arguments else "no arguments"
        assert f"`{name}` with {shown}:" in PAGE


def test_the_table_has_every_tool_and_its_command():
    table = PAGE.partition("## Tools")[2].partition("\n\nAn answer")[0]
    rows = re.findall(r"^\| `(\w+)` \| .+ \| `(\w+)[^|]*` \|$", table, re.MULTILINE)
    assert [name for name, _ in rows] == list(listed(Captures("nowhere"), allow_run=True))
    assert {command for _, command in rows} <= set(COMMANDS)


def test_the_limit_is_that_of_the_code():
    assert f"at most {MOST_CHARACTERS:,} characters" in PAGE
