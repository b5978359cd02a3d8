"""What docs/record.md shows is what happens."""

import shutil
from pathlib import Path

import pytest
from support.consoles import run_console_blocks
from support.in_process import acp_spy

from acp_spy.cli.commands import PROXY_OPTIONS

PAGE = (Path(__file__).parents[1] / "docs" / "record.md").read_text(encoding="utf-8")
REQUEST = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'


def test_the_commands_give_the_outputs_that_are_shown(tmp_path):
    if not shutil.which("jq"):
        pytest.skip("the page's commands need jq: apt-get install jq")
    (tmp_path / "request.jsonl").write_text(REQUEST)
    run_console_blocks(PAGE, tmp_path)


def test_every_option_of_the_proxy_is_in_the_table():
    for option in PROXY_OPTIONS:
        assert f"| `{f'{option.spellings[0]} {option.takes}'.rstrip()}` |" in PAGE


def test_every_stream_that_raw_can_write_is_named():
    for stream in ("client", "agent", "stderr"):
        assert f"`{stream}`" in PAGE
        assert stream in acp_spy("raw", "--help").out
