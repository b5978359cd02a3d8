"""What docs/check.md shows is so."""

import re
import shlex
from pathlib import Path

import pytest
from support.in_process import acp_spy

from acp_spy.cli.rule_settings import settings_with
from acp_spy.lint.settings import KEYS, Format, get_args
from acp_spy.view.findings.settings_file import find_settings

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "check.md").read_text()


def block(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_the_command_gives_the_output_that_is_shown():
    command, _, output = block("console").removeprefix("$ acp-spy ").partition("\n")
    assert acp_spy(*shlex.split(command), cwd=ROOT / "fixtures") == (output, "", 1)


def test_every_format_and_every_key_is_shown():
    formats = PAGE.partition("## Formats")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", formats, re.MULTILINE) == list(get_args(Format))
    assert set(re.findall(r"^\[?([\w-]+)(?: =|\])", block("toml"), re.MULTILINE)) >= set(KEYS)


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "acp-spy.toml").write_text(block("toml"))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def test_the_settings_are_read_from_a_folder_below(project):
    settings = find_settings(str(project / "below"))
    assert settings.ignore == ("LIF004", "long-silence")
    assert {rule: level.value for rule, level in settings.severity.items()} == {
        "SCH007": "note",
        "RPC": "error",
    }
    assert (settings.fail_on, settings.spec, settings.dialect) == ("warning", "v1", "acp")


def test_in_pyproject_the_same_keys_stand_in_our_table(project):
    before = find_settings(str(project))
    (project / "acp-spy.toml").unlink()
    table = block("toml").replace("[severity]", "[tool.acp-spy.severity]")
    (project / "pyproject.toml").write_text(f"[tool.acp-spy]\n{table}")
    assert find_settings(str(project)) == before


def test_an_option_replaces_what_the_file_says_under_its_key_and_no_other(project):
    settings = settings_with(None, ["RPC006"], None)
    assert settings.ignore == ("RPC006",)
    assert settings.select == ("FRM", "RPC", "SCH", "LIF")
