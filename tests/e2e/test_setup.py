"""`acp-spy setup`: what a newcomer is told, and what is done to real settings files."""

import errno
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.commands import grows_no_faster
from support.in_process import acp_spy
from support.processes import DEADLINE
from support.work import calls_of

from acp_spy.editors.edit import entry_in
from acp_spy.editors.editor import Launch
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


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EDQUOT, "free some space"),
        (errno.EACCES, "check that you own the folder and the file"),
    ],
)
def test_what_to_do_if_settings_cannot_be_written(setup, tmp_path, monkeypatch, number, hint):
    def refused(_descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refused)
    path = tmp_path / ".config" / "zed" / "settings.json"
    assert setup("zed", "--write", "--", "cat") == (
        "",
        f"error: cannot change `{path}`: {os.strerror(number)}\nhint: {hint}\n",
        2,
    )


def test_settings_are_read_once_however_many_agents_they_have(setup, tmp_path):
    path = tmp_path / ".config" / "zed" / "settings.json"
    path.parent.mkdir(parents=True)

    def cost(agents):
        names = {f"a{number}": {"command": "x"} for number in range(agents)}
        path.write_text(json.dumps({"agent_servers": names}))
        return calls_of(lambda: setup("zed", "--remove")).total

    cost(1)
    assert grows_no_faster(cost, 20) == ""


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
Zed: add this to {tmp_path}/.config/zed/settings.json:


it adds a second agent; the agents that you have are not changed
to let acp-spy add it: acp-spy setup zed --write -- cat --acp 'a b'
to change an agent that you have instead: acp-spy setup zed --replace NAME
to use it: in the agent panel, open a new thread with `cat via acp-spy`
to watch: {PROGRAM} view --follow
to check that it starts: {PROGRAM} doctor --empty-folder -- cat --acp 'a b'
"""
    )
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_is_not_found_is_told(setup):
    _, err, status = setup("acpx", "--", "nonesuch-agent")
    assert status == 0
    assert "warning: command not found: `nonesuch-agent`\n" in err
    _, err, status = setup("acpx", "--write", "--", "nonesuch-agent --acp")
    assert status == 0
    assert err.splitlines()[1] == (
        "warning: command not found: `nonesuch-agent --acp`;"
        " give the command and its arguments as separate words"
    )


def test_an_agent_that_only_the_shell_may_find_is_told_with_its_path(setup, tmp_path):
    (tmp_path / "bin").mkdir()
    agent = tmp_path / "bin" / "my-agent"
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    env = {"PATH": f"{tmp_path}/bin:/usr/bin"}
    said = f"note: if your editor does not find `my-agent`, use its path: {agent}\n"
    assert said in setup("acpx", "--", "my-agent", env=env)[1]
    assert "note:" not in setup("acpx", "--", str(agent), env=env)[1]
    assert "note:" not in setup("acpx", "--", "env", env=env)[1]


def test_arguments_that_name_files_become_absolute_and_it_says_so(setup, tmp_path):
    (tmp_path / "agent.py").touch()
    (tmp_path / "acp").mkdir()
    words = ["./run.sh", "agent.py", "acp", "--config=agent.py", "--acp", "/abs.py", "org/model"]
    out, err, _ = setup("acpx", "--", *words)
    argv = json.loads(out)["agents"]["run-spy"]["argv"]
    assert argv[2:] == [
        f"{tmp_path}/run.sh",
        f"{tmp_path}/agent.py",
        "acp",
        f"--config={tmp_path}/agent.py",
        "--acp",
        "/abs.py",
        "org/model",
    ]
    assert f"note: `agent.py` is made absolute: {tmp_path}/agent.py\n" in err
    assert f"note: `--config=agent.py` is made absolute: --config={tmp_path}/agent.py\n" in err
    assert "looks like a relative path" not in err
    assert shlex.join(argv[2:]) in err.splitlines()[-1]


def test_a_relative_path_that_cannot_be_resolved_is_warned_of(setup, tmp_path):
    (tmp_path / "my_agent").mkdir()
    words = ["python3", "-m", "my_agent.acp", "./server", "main.py", "--file=x.json", "@a/b", "1.2"]
    out, err, status = setup("zed", "--write", "--", *words)
    assert (out, status) == ("", 0)
    warned = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert [line.split("`")[1] for line in warned] == [
        "./server",
        "main.py",
        "--file=x.json",
        "-m my_agent.acp",
    ]
    assert warned[0] == (
        "warning: `./server` looks like a relative path, but there is no such file here; an editor"
        " starts the agent in another folder, so use an absolute path"
    )


@pytest.mark.parametrize("relative", [False, True])
def test_the_recommended_doctor_finds_a_relative_path(setup, tmp_path, relative):
    """It starts the agent in another folder, as an editor does."""
    script = tmp_path / "agent.py"
    script.write_text("import acp_spy.demo.agent as demo; demo.main()")
    words = [sys.executable, "agent.py"]
    err = setup("zed", "--write", "--", *words)[1]
    (line,) = [line for line in err.splitlines() if line.startswith("to check that it starts: ")]
    recommended = shlex.split(line.partition(": ")[2])
    assert recommended[:4] == [PROGRAM, "doctor", "--empty-folder", "--"]
    command = words if relative else recommended[4:]
    out = acp_spy("doctor", "--empty-folder", "--format", "json", "--", *command, cwd=tmp_path).out
    checks = {check["name"]: check for check in json.loads(out)["checks"]}
    assert checks["start"]["verdict"] == ("fail" if relative else "ok")
    if relative:
        assert checks["command"]["hint"] == f"use `{script}`"


@pytest.mark.parametrize("name", WITH_JSON)
def test_write_then_remove_leaves_everything_as_it_was(setup, tmp_path, name):
    shown, _, _ = setup(name, "--", "cat")
    out, err, status = setup(name, "--write", "--", "cat")
    assert (out, status) == ("", 0)
    (path,) = [p for p in tmp_path.rglob("*") if p.is_file()]
    (name_there,) = re.findall(r"^added the agent `(.*)` to", err)
    assert err.startswith(f"added the agent `{name_there}` to {path}, a new file\n")
    assert path.read_text() == shown
    assert setup(name, "--write", "--", "cat")[1].startswith(
        f"{path} already has the agent `{name_there}`\n"
    )
    assert setup(name, "--remove", "--", "cat") == (
        "",
        f"removed {path}: it contained nothing else\n",
        0,
    )
    assert not path.exists()


def test_settings_with_comments_are_given_back_to_the_byte(setup, tmp_path):
    path = tmp_path / "zed.json"
    before = b'// mine\r\n{\r\n  "theme": "One", // dark\r\n}\r\n'
    path.write_bytes(before)
    _, err, status = setup("zed", "--file", "zed.json", "--write", "--", "cat")
    assert status == 0
    assert err.startswith(
        f"added the agent `cat via acp-spy` to {path}; your other agents are unchanged\n"
        f"backup: {path}.before-acp-spy\n"
    )
    assert err.endswith(
        "to undo: acp-spy setup zed --file zed.json --remove --name 'cat via acp-spy'\n"
    )
    after = path.read_bytes()
    assert b"// dark" in after
    assert b"\n" not in after.replace(b"\r\n", b"")
    _, err, status = setup("zed", "--file", "zed.json", "--remove", "--", "cat")
    assert (err, status) == (f"restored {path}: it is as it was before\n", 0)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["zed.json"]


def test_what_is_added_again_after_a_change_can_be_removed_again(setup, tmp_path):
    """A backup of a time when acp-spy was in the file gives nothing back."""
    path = tmp_path / "zed.json"
    path.write_text('{"theme": "One"}')
    words = ("zed", "--file", "zed.json")
    setup(*words, "--write", "--", "cat")
    path.write_text(path.read_text().replace("One", "Two"))
    for _ in range(2):
        assert setup(*words, "--remove", "--", "cat")[2] == 0
        assert "acp-spy" not in path.read_text()
        setup(*words, "--write", "--", "cat")


def test_an_agent_that_may_be_the_users_own_is_not_removed_but_given_back(setup, tmp_path):
    path = tmp_path / "zed.json"
    path.write_text('{"agent_servers": {"X": {"command": "x"}}}')
    words = ("zed", "--file", "zed.json")
    setup(*words, "--replace", "X", "--write")
    assert "acp-spy" in path.read_text()
    (tmp_path / "zed.json.before-acp-spy").unlink()
    assert setup(*words, "--remove", "--name", "X")[2] == 0
    agent = json.loads(path.read_text())["agent_servers"]["X"]
    assert (agent["command"], agent.get("args", [])) == ("x", [])


def test_a_name_is_enough_to_remove(setup, tmp_path):
    setup("jetbrains", "--name", "Spied", "--write", "--", "cat")
    path = tmp_path / ".jetbrains" / "acp.json"
    assert list(json.loads(path.read_bytes())["agent_servers"]) == ["Spied"]
    assert setup("jetbrains", "--remove", "--name", "Spied")[2] == 0
    assert not path.exists()
    assert setup("jetbrains", "--remove", "--name", "Spied")[1] == (
        f"{path} has no agent called `Spied`\n"
    )


@pytest.mark.parametrize("name", WITH_JSON)
def test_an_entry_of_acp_spy_without_an_agent_is_removed(setup, tmp_path, name):
    editor = EDITORS[name]
    agents = {"X": editor.entry(Launch("x", "X", ("acp-spy", "--"))), "Y": {"command": "y"}}
    for key in reversed(editor.keys):
        agents = {key: agents}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(agents))
    words = (name, "--file", "s.json")
    assert setup(*words, "--replace", "X").err.endswith(" doctor --empty-folder -- acp-spy --\n")
    assert setup(*words, "--remove", "--name", "X").status == 0
    assert "X" not in path.read_text()
    assert "Y" in path.read_text()


def test_an_agent_of_somebody_else_is_neither_replaced_nor_removed(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": {"cat": {"argv": ["cat"]}}}')
    words = ["acpx", "--file", "s.json", "--name", "cat"]
    assert setup(*words, "--write", "--", "cat")[1] == (
        f"error: cannot change `{path}`: it has an agent `cat` that was not added by acp-spy\n"
        "hint: choose another `--name`, or use `--replace cat`\n"
    )
    assert setup(*words, "--remove")[1] == (
        f"error: cannot change `{path}`: the agent `cat` was not added by acp-spy\n"
        "hint: remove it yourself\n"
    )
    assert os.listdir(tmp_path) == ["s.json"]


def test_an_agent_that_is_only_called_like_us_is_somebody_elses(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": {"cat": {"argv": ["/opt/my-acp-spy-agent"]}}}')
    _, err, status = setup("acpx", "--file", "s.json", "--name", "cat", "--write", "--", "cat")
    assert (err.splitlines()[0].partition(": ")[2].rpartition(": ")[2], status) == (
        "it has an agent `cat` that was not added by acp-spy",
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
        f"error: cannot change the settings of {EDITORS[name].title}: {EDITORS[name].why_not}\n"
        f"hint: to see what to add, run `acp-spy setup {name} -- cat x`\n"
    )


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("more", [(), ("--file", "s.json")])
def test_it_says_so_too_if_it_is_to_remove_what_has_no_name(setup, name, more):
    _, err, status = setup(name, *more, "--remove")
    assert status == 2
    assert err.startswith(f"error: cannot change the settings of {EDITORS[name].title}: ")


def test_settings_that_are_not_json_are_left_alone(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{\n  "a": 1\n  "b": 2\n}')
    _, err, status = setup("zed", "--file", "s.json", "--write", "--", "cat")
    assert status == 2
    assert err == (
        f"error: cannot change `{path}`: line 3: expected `,` or `}}`\n"
        "hint: run `acp-spy setup zed --file s.json -- cat`, and add it yourself\n"
    )


def test_a_folder_that_cannot_be_made_is_told(setup, tmp_path):
    (tmp_path / ".acpx").touch()
    _, err, status = setup("acpx", "--write", "--", "cat")
    assert status == 2
    assert err.startswith(f"error: cannot change `{tmp_path}/.acpx/config.json`: ")


def test_toad_is_given_a_command_line_that_a_shell_understands(setup):
    out, _, _ = setup("toad", "--", "cat", "it's")
    program, verb, command, folder = shlex.split(out)
    assert (program, verb, folder) == ("toad", "acp", ".")
    assert shlex.split(command) == [PROGRAM, "--", "cat", "it's"]


def test_without_an_editor_all_are_listed_and_those_that_are_here(setup, tmp_path):
    (tmp_path / ".jetbrains").mkdir()
    (tmp_path / ".jetbrains" / "acp.json").touch()
    out, err, status = setup(env={"PATH": ""})
    assert (err, status) == ("", 0)
    assert (
        out
        == f"""\
zed                Zed
                   {tmp_path}/.config/zed/settings.json
jetbrains   found  JetBrains IDEs
                   {tmp_path}/.jetbrains/acp.json
neovim             Neovim, plugin CodeCompanion or Avante
                   {tmp_path}/.config/nvim/init.lua
emacs              Emacs, package agent-shell
                   {tmp_path}/.emacs.d/init.el
vscode             VS Code, extension ACP Client (formulahendry.acp-client)
                   {tmp_path}/.config/Code/User/settings.json
toad               Toad
                   no settings file
acpx               acpx
                   {tmp_path}/.acpx/config.json

To see what to add to one of them: acp-spy setup EDITOR -- COMMAND [ARG]...
"""
    )


MINE = """{
  // mine
  "agent_servers": {
    "Claude": { "command": "claude", "args": ["--acp"], "env": {"A": "1"} }, // good
  },
}
"""


def test_an_agent_is_wrapped_in_place_and_unwrapped_to_the_byte(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(MINE)
    words = ["zed", "--file", "s.json", "--replace", "Claude"]
    shown, err, status = setup(*words)
    assert status == 0
    assert "to let acp-spy change it: acp-spy setup zed --file s.json --replace Claude --w" in err
    assert path.read_text() == MINE
    _, err, status = setup(*words, "--write")
    assert status == 0
    assert err.startswith(
        f"put acp-spy in front of the agent `Claude` in {path}\nbackup: {path}.before-acp-spy\n"
    )
    assert "doctor --empty-folder -- claude --acp\n" in err
    after = path.read_text()
    assert "// mine" in after
    assert "// good" in after
    there = entry_in(after, ("agent_servers",), "Claude")
    assert {"agent_servers": {"Claude": there}} == json.loads(shown)
    assert there == {"command": PROGRAM, "args": ["--", "claude", "--acp"], "env": {"A": "1"}}
    again = setup(*words, "--write")[1]
    assert again.startswith(f"the agent `Claude` in {path} already starts through acp-spy\n")
    undo = err.splitlines()[-1].removeprefix("to undo: acp-spy setup ")
    assert setup(*shlex.split(undo))[1] == f"restored {path}: it is as it was before\n"
    assert path.read_text() == MINE


def test_a_wrapped_agent_stays_when_the_file_has_changed_since(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(MINE)
    setup("zed", "--file", "s.json", "--replace", "Claude", "--write")
    path.write_text(path.read_text() + "// later\n")
    err = setup("zed", "--file", "s.json", "--remove", "--name", "Claude")[1]
    assert err.startswith(f"took acp-spy out of the agent `Claude` in {path}\n")
    assert entry_in(path.read_text(), ("agent_servers",), "Claude") == {
        "command": "claude",
        "args": ["--acp"],
        "env": {"A": "1"},
    }


def test_an_agent_that_cannot_be_replaced(setup, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"agents": {"a": {"argv": ["a"]}, "b": {"command": {"path": "b"}}}}')
    words = ["acpx", "--file", "s.json", "--replace"]
    assert setup(*words, "c")[1:] == (
        f"error: cannot replace `c`: {path} has no such agent\nhint: use one of `a`, `b`\n",
        2,
    )
    assert setup(*words, "b", "--write")[1:] == (
        (
            "error: cannot replace `b`: its command is not a string\n"
            f"hint: change it in {path} yourself\n"
        ),
        2,
    )
    assert os.listdir(tmp_path) == ["s.json"]


WRONG = {
    "zed": ("error: missing agent command\nhint: run `acp-spy setup zed -- COMMAND [ARG]...`\n"),
    "zed cat": ("error: put the agent command after `--`\nhint: run `acp-spy setup zed -- cat`\n"),
    "vim -- cat": (
        "error: no such editor: `vim`; did you mean `neovim`?\n"
        "hint: use zed, jetbrains, neovim, emacs, vscode, toad or acpx:"
        " `acp-spy setup EDITOR -- COMMAND [ARG]...`\n"
    ),
    "zde -- cat": (
        "error: no such editor: `zde`; did you mean `zed`?\n"
        "hint: use zed, jetbrains, neovim, emacs, vscode, toad or acpx:"
        " `acp-spy setup EDITOR -- COMMAND [ARG]...`\n"
    ),
    "zed --write --remove -- cat": (
        "error: `--write` cannot be used with `--remove`\nhint: use one of them\n"
    ),
    "zed --replace x --remove": (
        "error: `--replace` cannot be used with `--remove`\n"
        "hint: to undo `--replace x`, use `--remove --name x`\n"
    ),
    "zed --replace 'my agent' --remove": (
        "error: `--replace` cannot be used with `--remove`\n"
        "hint: to undo `--replace 'my agent'`, use `--remove --name 'my agent'`\n"
    ),
    "zed --remove": (
        "error: missing `--name`: which agent to remove\n"
        "hint: run `acp-spy setup zed --remove --name NAME`\n"
    ),
    "-- cat x": (
        "error: missing editor\n"
        "hint: run `acp-spy setup EDITOR -- cat x`; `acp-spy setup` lists the editors\n"
    ),
    "--write": (
        "error: missing editor\n"
        "hint: run `acp-spy setup EDITOR -- COMMAND`; `acp-spy setup` lists the editors\n"
    ),
    "zed --replace x -- cat": (
        "error: `--replace` cannot be used with `-- COMMAND`\nhint: use one of them\n"
    ),
}


@pytest.mark.parametrize(("line", "said"), WRONG.items(), ids=WRONG.keys())
def test_wrong_use_is_one_error_and_one_hint(setup, line, said):
    assert setup(*shlex.split(line)) == ("", said, 2)


def test_remove_without_a_name_lists_the_agents_that_are_ours(setup):
    setup("zed", "--write", "--", "cat")
    setup("zed", "--write", "--name", "other", "--", "cat")
    assert setup("zed", "--remove")[1].endswith(
        "hint: run `acp-spy setup zed --remove --name other`"
        " or `acp-spy setup zed --remove --name 'cat via acp-spy'`\n"
    )


def test_an_editor_may_have_capital_letters(setup):
    assert setup("Zed", "--", "cat") == setup("zed", "--", "cat")


def test_it_warns_of_acp_spy_in_front_of_itself(setup):
    said = "warning: the command starts acp-spy itself; give the agent command alone\n"
    assert said in setup("zed", "--", "acp-spy", "--", "cat")[1]
    assert said not in setup("zed", "--", "cat")[1]


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


@pytest.mark.parametrize(
    ("editor", "spelled"),
    [
        ("zed", r'"a\u3164b\u202e"'),
        ("neovim", r'"a\u{3164}b\u{202e}"'),
        ("emacs", r'"a\U00003164b\U0000202e"'),
    ],
)
def test_a_name_that_hides_letters_is_spelled_out(editor, spelled, tmp_path):
    words = ("setup", editor, "--name", "a\u3164b\u202e", "--", "my-agent")
    out, err, status = acp_spy(*words, env={"HOME": str(tmp_path)})
    assert (status, spelled in out) == (0, True)
    assert not re.search("[\u3164\u202e]", out + err)
