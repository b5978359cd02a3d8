"""The commands of docs/remote.md print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest
from support.in_process import acp_spy
from test_docs_capture_format import run_jq

from acp_spy.cli.commands import COMMANDS
from acp_spy.remote import agent_server, checking, http1_relay

FIXTURES = Path(__file__).parents[1] / "fixtures"
PAGE = (Path(__file__).parents[1] / "docs" / "remote.md").read_text(encoding="utf-8")


def shown():
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = each.partition("\n")
            yield command, output


@pytest.mark.parametrize(("command", "output"), list(shown()))
def test_every_command_gives_the_output_that_is_shown(command, output):
    program, *words = shlex.split(command)
    if program == "acp-spy":
        assert acp_spy(*words, cwd=FIXTURES, env={"COLUMNS": "80"}).out == output
    else:
        assert program == "jq"
        assert run_jq(*words) == output


def test_the_page_names_commands_that_exist():
    assert {"http", "serve"} <= set(COMMANDS)


def test_the_numbers_of_the_page_are_those_of_the_code():
    assert f"Up to {checking.MOST} conversations" in PAGE
    assert f"after {agent_server.GRACE:g} seconds SIGTERM" in PAGE
    assert f"after {agent_server.LAST_GRACE:g} more SIGKILL" in PAGE
    limits = agent_server.Limits()
    assert f"`--max-connections` ({limits.connections})" in PAGE
    assert f"`--idle` ({limits.idle:g} seconds)" in PAGE
    assert f"within {http1_relay.HEAD_TIMEOUT:g} seconds" in PAGE
    assert f"up to {http1_relay.HOLD:g} seconds" in PAGE
    assert f"has {agent_server.AFTER_STDOUT:g} seconds to exit" in PAGE
    assert f"streams for up to {agent_server.MOST_SESSIONS:,} sessions" in PAGE
    most, spare = agent_server.MOST_TCP, agent_server.MOST_TCP // agent_server.SPARE
    assert f"`serve` up to {most:,}" in PAGE
    assert f"{spare} of {most:,}" in PAGE
