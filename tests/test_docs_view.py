"""What docs/view.md and docs/captures.md show is so: commands, tokens, columns, folders."""

import re
import shlex
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows
from support.in_process import acp_spy

from acp_spy.view.capture_view import CHECKED_FIRST
from acp_spy.view.captures.summary import State
from acp_spy.view.captures.text import _COLUMNS
from acp_spy.view.formats import FORMATS

ROOT = Path(__file__).parent.parent
VIEW = (ROOT / "docs" / "view.md").read_text()
CAPTURES = (ROOT / "docs" / "captures.md").read_text()


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(ROOT)


def test_the_command_gives_the_output_that_is_shown():
    (shown,) = re.findall(r"^```console\n(.*?)^```$", VIEW, re.MULTILINE | re.DOTALL)
    command, _, output = shown.removeprefix("$ acp-spy ").partition("\n")
    assert acp_spy(*shlex.split(command)) == (output, "", 0)


def test_every_other_command_works(tmp_path):
    (tmp_path / "run.jsonl").write_bytes((ROOT / "fixtures" / "dialect-crow.jsonl").read_bytes())
    (shown,) = re.findall(r"^```sh\n(.*?)^```$", VIEW, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True)[1:] for line in shown.splitlines()]
    assert len(lines) == 6
    for words in lines:
        if "-f" not in words:  # which waits for the next recording
            done = acp_spy(*words, cwd=tmp_path, env={"ACP_SPY_DIR": str(tmp_path)})
            written = (
                "written to page.html; secrets masked: none found\n" if "page.html" in words else ""
            )
            assert done[1:] == (written, 0), words
    assert (tmp_path / "page.html").exists()


def test_every_format_is_in_the_table_with_its_ending():
    table = VIEW.partition("| format |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(FORMATS)
    assert all(f"`{suffix}`" in VIEW for form in FORMATS.values() for suffix in form.suffixes)


def test_its_numbers_are_those_of_the_code():
    assert f"more than {CHECKED_FIRST // 1_000_000} MB" in VIEW


def test_every_column_and_every_state_of_the_list_is_explained():
    table = CAPTURES.partition("| column |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE)
    headings = {column.heading for column in _COLUMNS} - {"started"}
    assert headings <= {name for names in named for name in names.split(", ")}
    assert [state.value for state in State if f"`{state.value}`: " not in table] == []


def test_the_capture_folder_of_each_platform_is_named(monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/dev")
    known = {"CSIDL_LOCAL_APPDATA": "%LOCALAPPDATA%"}
    monkeypatch.setattr("platformdirs.windows.get_win_folder", known.__getitem__)
    for platform in (Unix, MacOS):
        folder = f"{platform('acp-spy', False).user_state_dir}/captures"
        assert folder.replace("/home/dev", "~") in CAPTURES
    folder = f"{Windows('acp-spy', False).user_state_dir}/captures"
    assert folder.replace("/", "\\") in CAPTURES
