"""What docs/translation.md shows is so, and `acp-spy dialects` lists what there is."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.middleware.dialects import stage, translation
from acp_spy.middleware.dialects.known import TRANSLATIONS

PAGE = (Path(__file__).parents[1] / "docs" / "translation.md").read_text(encoding="utf-8")
ROW = re.compile(r"(client →|← agent) [ │╭╰]*(#\d+ )?(\S+(?: \S+)*)")


def test_every_translation_is_in_the_table():
    rows = [f"| `{name}` | {each.origin} | {each.cannot} |" for name, each in TRANSLATIONS.items()]
    assert "\n".join(rows) in PAGE


def test_the_limits_are_those_of_the_code():
    room = f"{translation._ROOM >> 20} MiB"
    assert translation._AT_ONCE == 2
    assert f"at most {room} and\n  twice the length of that message" in PAGE
    assert f"at most {room} and {translation._TIMES} times what came" in PAGE
    assert f"the first {stage._MOST_NOTES} of what is said" in PAGE
    assert f"cut at {translation._LONGEST_NOTE} characters" in PAGE


def test_the_list_has_every_dialect_and_fits():
    done = acp_spy("dialects", env={"COLUMNS": "80"})
    assert (done.err, done.status) == ("", 0)
    assert all(len(line) <= 80 for line in done.out.splitlines())
    for name in TRANSLATIONS:
        assert f"    acp-spy --agent-dialect {name} -- COMMAND\n" in done.out
    assert done.out.startswith(
        "crow\n"
        "    The protocol notes of the crow agent framework.\n"
        "    It cannot express: files, terminals, modes, the user's own messages, most\n"
        "    stop reasons.\n"
        "    acp-spy check --dialect crow CAPTURE\n"
        "    acp-spy --agent-dialect crow -- COMMAND\n"
    )
    listed = json.loads(acp_spy("dialects", "--format", "json").out)["dialects"]
    assert {each["name"] for each in listed if each["translate"]} == set(TRANSLATIONS)
    assert next(each for each in listed if each["name"] == "zed")["translate"] is False


def test_an_unknown_dialect_is_refused_before_the_agent_is_started():
    command = [*ACP_SPY, "--agent-dialect", "quikref", "--", "echo", "started"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr == (
        "error: cannot translate `quikref`: no such dialect\n"
        "hint: did you mean `quickref`? run `acp-spy dialects`\n"
    )


@pytest.mark.long
def test_the_agent_and_the_client_of_the_page_work(tmp_path):
    agent, client = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "crow_agent.py").write_text(agent)
    (tmp_path / "client.py").write_text(client)
    (run, said), (view, shown) = re.findall(
        r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    folder = Path(sys.executable).parent
    path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    done = subprocess.run(
        run.split(),
        cwd=tmp_path,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    assert done.stdout == said
    done = acp_spy(*view.split()[1:], cwd=tmp_path, env=path)
    assert len(ROW.findall(shown)) > 20
    assert ROW.findall(done.out) == ROW.findall(shown)
