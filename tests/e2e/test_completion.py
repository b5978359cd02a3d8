"""Completion in real shells, by the script that acp-spy prints."""

import shutil
import subprocess

import pytest
from support.in_process import acp_spy
from support.processes import DEADLINE


def script(shell):
    return acp_spy("completion", shell).out


def run(*command, text=""):
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def bash(*lines):
    """Return what bash offers at the end of each command line."""
    tries = "".join(
        f'COMP_WORDS=(acp-spy {line}); COMP_CWORD={len(line.split())}; _acp_spy; echo "${{COMPREPLY[@]}}"\n'
        for line in lines
    )
    return run("bash", "--norc", text=script("bash") + "\n" + tries)


def test_bash_completes_commands_options_and_values():
    offered = {
        "ch": "check",
        "check --fo": "--format",
        "check --format s": "sarif",
        "replay a": "agent",
        "replay agent --tim": "--timing --timeout",
        "completion z": "zsh",
        "--verb": "--verbose",
        "check some-file": "",  # then bash itself offers files
    }
    assert bash(*offered) == list(offered.values())


def test_bash_completes_programs_after_the_dashes_and_nothing_of_ours():
    offered = bash("-v -- ech", "doctor -- ech", "-- echo --for")
    assert all("echo" in line.split() for line in offered[:2])
    assert offered[2] == ""


def test_every_command_can_be_completed():
    from acp_spy.cli.commands import COMMANDS

    (offered,) = bash("''")
    assert sorted(offered.split()) == sorted(COMMANDS)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_takes_the_script(tmp_path):
    load = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump\n"
    asked = "\necho $_comps[acp-spy]\n"
    assert run("zsh", "-f", text=load + script("zsh") + asked) == [
        "_bash_complete -o default -F _acp_spy"
    ]


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_options_and_values(tmp_path):
    path = tmp_path / "acp-spy.fish"
    path.write_text(script("fish"))
    tries = ["acp-spy check --fo", "acp-spy check --format s", "acp-spy replay ag"]
    asked = "; ".join(f'complete -C "{line}"' for line in tries)
    offered = run("fish", "--no-config", "-c", f"source {path}; {asked}")
    assert [line.split("\t")[0] for line in offered] == ["--format", "sarif", "agent"]
