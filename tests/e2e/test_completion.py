"""Completion in real shells, by the script that acp-spy prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import DEADLINE


def script(shell):
    return acp_spy("completion", shell).out


def run(*command, text=""):
    done = subprocess.run(
        command,
        input=text,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def bash(*lines):
    """Return what bash offers at the end of each command line."""
    tries = "".join(
        f"COMP_WORDS=(acp-spy {line}); COMP_CWORD={len(line.split())};"
        ' _acp_spy_completion acp-spy; echo "${COMPREPLY[@]}"\n'
        for line in lines
    )
    return run("bash", "--norc", text=script("bash") + "\n" + tries)


def test_bash_completes_commands_options_and_values():
    offered = {
        "ch": "check",
        "check --format s": "sarif",
        "--verb": "--verbose",
        "check some-file": "",  # then bash itself offers files
    }
    assert bash(*offered) == list(offered.values())


@pytest.mark.parametrize(
    ("line", "offered"),
    {
        "check --form": ["--format"],
        "replay a": ["agent"],
        "replay agent --tim": ["--timing", "--timeout"],
        "completion z": ["zsh"],
    }.items(),
)
def test_what_a_shell_asks_for_is_answered(line, offered):
    asked = {"COMP_WORDS": f"acp-spy {line}", "COMP_CWORD": str(len(line.split()))}
    done = acp_spy(env={"_ACP_SPY_COMPLETE": "complete_bash", **asked})
    assert (done.out.split(), done.status) == (offered, 0)


@pytest.mark.parametrize("asked", [{"COMP_WORDS": "acp-spy v", "COMP_CWORD": "x"}, {}])
def test_variables_that_no_shell_sets_are_an_error(asked):
    done = acp_spy(env={"_ACP_SPY_COMPLETE": "complete_bash", **asked})
    assert (done.out, done.status) == ("", 2)
    assert done.err.startswith("error: cannot complete: ")


def test_nothing_of_ours_is_offered_after_the_dashes():
    assert bash("-- che", "-v -- echo --for", "doctor -- agent --out") == ["", "", ""]


def test_every_command_can_be_completed():
    from acp_spy.cli.commands import COMMANDS

    (offered,) = bash("''")
    assert sorted(offered.split()) == sorted(COMMANDS)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_takes_the_script_and_asks_us(tmp_path):
    load = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump\n"
    asked = "\necho $_comps[acp-spy]\n"
    assert run("zsh", "-f", text=load + script("zsh") + asked) == ["_acp_spy_completion"]
    question = (
        "_TYPER_COMPLETE_ARGS='acp-spy check --form' _ACP_SPY_COMPLETE=complete_zsh acp-spy\n"
    )
    (first, *_) = run("zsh", "-f", text=question)
    assert '"--format"' in first


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.long
def test_fish_completes_commands_options_and_values(tmp_path):
    path = tmp_path / "acp-spy.fish"
    path.write_text(script("fish"))
    tries = ["acp-spy check --form", "acp-spy check --format s", "acp-spy replay ag"]
    asked = "; ".join(f'complete -C "{line}"' for line in tries)
    offered = run("fish", "--no-config", "-c", f"source {path}; {asked}")
    assert [line.split("\t")[0] for line in offered] == ["--format", "sarif", "agent"]
