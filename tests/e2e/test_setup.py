"""`acp-spy setup`: what a newcomer is told, and what is done to real settings files."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import DEADLINE

from acp_spy.editors.known import EDITORS

PROGRAM = str(Path(sys.executable).parent / "acp-spy")
WITH_JSON = [name for name, editor in EDITORS.items() if editor.entry]
OTHERS = [name for name, editor in EDITORS.items() if not editor.entry]


@pytest.fixture
def setup(tmp_path, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def run(*words, env=None):
        home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
        return acp_spy("setup", *words, cwd=tmp_path, env={**home, **(env or {})})

    return run


def test_what_is_shown_for_zed(setup, tmp_path):
    out, err, status = setup("zed", "--", "cat", "--acp", "a b")
    assert status == 0
    assert json.loads(out) == {
        "agent_servers": {
            "cat via acp-spy": {
                "type": "custom",
                "command": PROGRAM,
                "args": ["--", "cat", "--acp", "a b"],
            }
        }
    }
    assert (
        err
        == f"""\
Zed: to add to {tmp_path}/.config/zed/settings.json:


to have it added: acp-spy setup zed --write -- cat --acp 'a b'
to use it: in the agent panel, open a new thread with `cat via acp-spy`
to watch: {PROGRAM} view --follow
if it does not start: {PROGRAM} doctor -- cat --acp 'a b'
"""
    )
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_is_not_found_is_told(setup):
    _, err, status = setup("acpx", "--", "nonesuch-agent")
    assert status == 0
    assert "note: `nonesuch-agent` is not found on this PATH\n" in err
    _, err, status = setup("acpx", "--write", "--", "nonesuch-agent --acp")
    assert status == 0
    assert err.splitlines()[1] == (
        "note: `nonesuch-agent --acp` is not found on this PATH:"
        " give the command and its arguments as separate words"
    )


def test_an_agent_that_only_the_shell_may_find_is_told_with_its_path(setup, tmp_path):
    (tmp_path / "bin").mkdir()
    agent = tmp_path / "bin" / "my-agent"
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin"}
    said = f"note: if your editor does not find `my-agent`, give its path: {agent}\n"
    assert said in setup("acpx", "--", "my-agent", env=env)[1]
    assert "note:" not in setup("acpx", "--", str(agent), env=env)[1]
    assert "note:" not in setup("acpx", "--", "env", env=env)[1]


def test_a_relative_path_becomes_absolute(setup, tmp_path):
    out, _, _ = setup("acpx", "--", "./agent.py", "./file")
    assert json.loads(out)["agents"]["agent-spy"]["argv"] == [
        PROGRAM,
        "--",
        f"{tmp_path}/agent.py",
        "./file",
    ]


@pytest.mark.parametrize("name", WITH_JSON)
def test_write_then_remove_leaves_everything_as_it_was(setup, tmp_path, name):
    shown, _, _ = setup(name, "--", "cat")
    out, err, status = setup(name, "--write", "--", "cat")
    assert (out, status) == ("", 0)
    (path,) = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert f"written to {path}, which is new\n" in err
    assert path.read_text() == shown
    assert setup(name, "--write", "--", "cat")[1].startswith(f"{path} has it already\n")
    assert setup(name, "--remove", "--", "cat") == (
        "",
        f"{path} is removed: it had nothing else in it\n",
        0,
    )
    assert not path.exists()


def test_settings_with_comments_are_given_back_to_the_byte(setup, tmp_path):
    path = tmp_path / "zed.json"
    before = b'// mine\r\n{\r\n  "theme": "One", // dark\r\n}\r\n'
    path.write_bytes(before)
    _, err, status = setup("zed", "--file", "zed.json", "--write", "--", "cat")
    assert status == 0
    assert err.startswith(f"written to {path}; as it was: {path}.before-acp-spy\n")
    after = path.read_bytes()
    assert b"// dark" in after
    assert b"\n" not in after.replace(b"\r\n", b"")
    _, err, status = setup("zed", "--file", "zed.json", "--remove", "--", "cat")
    assert (err, status) == (f"{path} is as it was before\n", 0)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["zed.json"]


def test_a_name_is_enough_to_remove(setup, tmp_path):
    setup("jetbrains", "--name", "Spied", "--write", "--", "cat")
    path = tmp_path / ".jetbrains" / "acp.json"
    assert list(json.loads(path.read_bytes())["agent_servers"]) == ["Spied"]
    assert setup("jetbrains", "--remove", "--name", "Spied")[2] == 0
    assert not path.exists()
    assert setup("jetbrains", "--remove", "--name", "Spied")[1] == (
        f"{path} has no agent called `Spied`\n"
    )


def test_an_agent_of_somebody_else_is_neither_replaced_nor_removed(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": {"cat": {"argv": ["cat"]}}}')
    words = ["acpx", "--file", "s.json", "--name", "cat"]
    assert setup(*words, "--write", "--", "cat")[1] == (
        f"error: `{path}` is left as it is: `cat` is there, and not by acp-spy\n"
        "hint: give another `--name`\n"
    )
    assert setup(*words, "--remove")[1] == (
        f"error: `{path}` is left as it is: `cat` is not by acp-spy\nhint: take it out by hand\n"
    )
    assert os.listdir(tmp_path) == ["s.json"]


def test_an_agent_that_is_only_called_like_us_is_somebody_elses(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": {"cat": {"argv": ["/opt/my-acp-spy-agent"]}}}')
    _, err, status = setup("acpx", "--file", "s.json", "--name", "cat", "--write", "--", "cat")
    assert (err.splitlines()[0].partition(": ")[2].rpartition(": ")[2], status) == (
        "`cat` is there, and not by acp-spy",
        2,
    )
    assert os.listdir(tmp_path) == ["s.json"]


def test_what_somebody_has_added_to_our_entry_stays(setup, tmp_path):
    setup("zed", "--file", "s.json", "--write", "--", "cat")
    path = tmp_path / "s.json"
    path.write_text(path.read_text().replace('"type"', '"env": {"KEY": "x"},\n      "type"'))
    setup("zed", "--file", "s.json", "--write", "--name", "cat via acp-spy", "--", "cat", "-n")
    assert json.loads(path.read_bytes())["agent_servers"]["cat via acp-spy"] == {
        "env": {"KEY": "x"},
        "type": "custom",
        "command": PROGRAM,
        "args": ["--", "cat", "-n"],
    }


@pytest.mark.parametrize("name", OTHERS)
def test_where_it_is_not_safe_it_says_why_not(setup, name):
    out, err, status = setup(name, "--write", "--", "cat", "x")
    assert (out, status) == ("", 2)
    assert err == (
        f"error: not done for you: {EDITORS[name].why_not}\n"
        f"hint: to see what to add: acp-spy setup {name} -- cat x\n"
    )


def test_settings_that_are_not_json_are_left_alone(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{\n  "a": 1\n  "b": 2\n}')
    _, err, status = setup("zed", "--file", "s.json", "--write", "--", "cat")
    assert status == 2
    assert err == (
        f"error: `{path}` is left as it is: line 3: `,` or `}}` is expected\n"
        "hint: add it by hand: acp-spy setup zed -- cat\n"
    )


def test_a_folder_that_cannot_be_made_is_told(setup, tmp_path):
    (tmp_path / ".acpx").touch()
    _, err, status = setup("acpx", "--write", "--", "cat")
    assert status == 2
    assert err.startswith(f"error: `{tmp_path}/.acpx/config.json` is left as it is: ")


def test_toad_is_given_a_command_line_that_a_shell_understands(setup):
    out, _, _ = setup("toad", "--", "cat", "it's")
    program, verb, command, folder = shlex.split(out)
    assert (program, verb, folder) == ("toad", "acp", ".")
    assert shlex.split(command) == [PROGRAM, "--", "cat", "it's"]


def test_without_an_editor_all_are_listed_and_those_that_are_here(setup, tmp_path):
    (tmp_path / ".jetbrains").mkdir()
    (tmp_path / ".jetbrains" / "acp.json").touch()
    out, err, status = setup("--", "cat", env={"PATH": ""})
    assert (err, status) == ("", 0)
    assert (
        out
        == f"""\
zed               Zed
                  {tmp_path}/.config/zed/settings.json
jetbrains   here  JetBrains IDEs
                  {tmp_path}/.jetbrains/acp.json
neovim            Neovim, plugin CodeCompanion or Avante
                  {tmp_path}/.config/nvim/init.lua
emacs             Emacs, package agent-shell
                  {tmp_path}/.emacs.d/init.el
vscode            VS Code, extension ACP Client (formulahendry.acp-client)
                  {tmp_path}/.config/Code/User/settings.json
toad              Toad
                  no settings file
acpx              acpx
                  {tmp_path}/.acpx/config.json

What to add to one of them: acp-spy setup EDITOR -- COMMAND [ARG]...
"""
    )


WRONG = {
    "zed": (
        "error: no command: which agent shall be started?\n"
        "hint: acp-spy setup zed -- COMMAND [ARG]...\n"
    ),
    "zed cat": (
        "error: the agent's command must stand after `--`\nhint: acp-spy setup zed -- cat\n"
    ),
    "vim -- cat": (
        "error: no such editor: `vim`\n"
        "hint: acp-spy setup zed|jetbrains|neovim|emacs|vscode|toad|acpx -- COMMAND [ARG]...\n"
    ),
    "zed --write --remove -- cat": (
        "error: `--write` and `--remove` are each other's contrary\nhint: give one\n"
    ),
}


@pytest.mark.parametrize(("line", "said"), WRONG.items(), ids=WRONG.keys())
def test_wrong_use_is_one_error_and_one_hint(setup, line, said):
    assert setup(*shlex.split(line)) == ("", said, 2)


def test_what_is_written_starts_the_agent_behind_acp_spy(setup, tmp_path):
    """As an editor does it: without a shell, another PATH, another folder."""
    setup("acpx", "--write", "--", "/bin/cat")
    (entry,) = json.loads((tmp_path / ".acpx" / "config.json").read_bytes())["agents"].values()
    done = subprocess.run(
        entry["argv"],
        input=b"hello\n",
        capture_output=True,
        cwd="/",
        env={"PATH": "", "ACP_SPY_DIR": f"{tmp_path}/captures"},
        timeout=DEADLINE,
        check=True,
    )
    assert done.stdout == b"hello\n"
    assert len(os.listdir(tmp_path / "captures")) == 1
