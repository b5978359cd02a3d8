"""Promise 3: the client sees the exit that it would have seen."""

import signal

import pytest
from support.effort import some_of
from support.in_process import acp_spy
from support.processes import python

from acp_spy import load

FATAL = [
    number
    for number in signal.valid_signals()
    if number
    not in {
        signal.SIGCHLD,
        signal.SIGCONT,
        signal.SIGURG,
        signal.SIGWINCH,
        signal.SIGSTOP,
        signal.SIGTSTP,
        signal.SIGTTIN,
        signal.SIGTTOU,
    }
]


@pytest.mark.parametrize("status", some_of(range(0, 256, 5), 0, 1, 2, 127, 128, 255))
def test_an_exit_status_passes(spy, status):
    assert spy(["/bin/sh", "-c", f"exit {status}"], "--no-check").wait() == status


def test_the_bare_agent_gives_the_same(start):
    assert start(["/bin/sh", "-c", "exit 77"]).wait() == 77


@pytest.mark.parametrize(
    "number",
    some_of(
        FATAL,
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGKILL,
        signal.SIGSEGV,
        signal.SIGPIPE,  # Python ignores this one and the next
        signal.SIGXFSZ,
        signal.SIGRTMIN,
    ),
    ids=lambda number: f"signal-{int(number)}",
)
def test_death_by_a_signal_is_death_by_that_signal(start, number):
    # With the default action: Python ignores SIGPIPE and SIGXFSZ and handles SIGINT.
    dies = python(
        """
        import os, signal, sys
        number = int(sys.argv[1])
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        """,
        str(int(number)),
    )
    out, _, status = (peer := start(dies, preexec_fn=no_core)).converse()
    assert (out, status) == (b"", -number)
    if peer.capture:
        assert load(peer.capture).exit.status == -number


def test_a_command_that_is_not_there_is_127(spy):
    out, err, status = spy(["no-such-agent", "--acp"]).converse()
    assert (out, status) == (b"", 127)
    assert err == b"acp-spy: command not found: `no-such-agent`\n"


def test_the_capture_says_why_the_agent_could_not_be_started(spy):
    (peer := spy(["no-such-agent", "--acp"])).converse()
    why = "command not found: `no-such-agent`"
    end = load(peer.capture).exit
    assert (end.status, end.reason) == (127, why)
    checked = acp_spy("check", peer.capture)
    assert checked.status == 1
    assert f"  the agent could not be started: {why}\n" in checked.out
    assert f"the agent could not be started: {why}\n" in acp_spy("stats", peer.capture).out
    assert f"agent not started  {why}\n" in acp_spy("view", peer.capture).out
    assert "  not started  " in acp_spy("list", "--dir", peer.capture.parent).out


def test_a_command_line_in_one_word_is_explained(spy):
    _, err, status = spy(["python3 agent.py"]).converse()
    assert status == 127
    assert b"give the command and its arguments as separate words" in err


def test_an_empty_command_is_127(spy):
    _, err, status = spy([""]).converse()
    assert (err, status) == (b"acp-spy: command not found: ``\n", 127)


def test_a_path_that_is_not_there_is_127(spy, tmp_path):
    missing = f"{tmp_path}/missing"
    out, err, status = spy([missing]).converse()
    assert (out, status) == (b"", 127)
    assert err == f"acp-spy: command not found: `{missing}`\n".encode()


def test_a_file_that_is_not_executable_is_126(spy, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o644)
    out, err, status = spy([str(script)]).converse()
    why = f"it is not executable; run `chmod +x {script}`"
    assert (out, status) == (b"", 126)
    assert err == f"acp-spy: cannot run `{script}`: {why}\n".encode()


def test_a_directory_is_126(spy, tmp_path):
    _, err, status = spy([str(tmp_path)]).converse()
    assert status == 126
    assert err == f"acp-spy: cannot run `{tmp_path}`: it is a folder\n".encode()


def test_a_missing_interpreter_is_named_as_the_cause(spy, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    _, err, status = spy([str(script)]).converse()
    assert status == 127
    assert b"the interpreter in its first line does not exist" in err


def test_a_script_without_an_interpreter_line_is_run_by_sh(spy, tmp_path):
    """As execvp does for clients written in C, Rust or JavaScript."""
    script = tmp_path / "script"
    script.write_text('echo "$1"; exit 3\n')
    script.chmod(0o755)
    out, err, status = spy([str(script), "a b"]).converse()
    assert (out, err, status) == (b"a b\n", b"", 3)


def test_a_failed_start_is_in_the_capture(spy):
    peer = spy(["no-such-agent"])
    peer.wait()
    assert load(peer.capture).exit.status == 127


def no_core():
    """Leave no core files behind."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
