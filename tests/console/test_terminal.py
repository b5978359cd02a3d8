"""The console in a real terminal: the bare command opens it, and leaves the terminal as it was."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios

import pytest
from support.processes import DEADLINE

from acp_spy.cli import entry


def test_the_bare_command_opens_the_console_and_q_leaves_the_terminal_as_it_was(tmp_path):
    terminal, ours = os.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(terminal)
    console = subprocess.Popen(
        [sys.executable, "-m", "acp_spy"],
        env={**os.environ, "ACP_SPY_DIR": str(tmp_path), "TERM": "xterm-256color"},
        **dict.fromkeys(("stdin", "stdout", "stderr"), ours),
    )
    shown = b""

    def read_until(wanted):
        nonlocal shown
        while wanted not in shown:
            assert select.select([terminal], [], [], DEADLINE)[0], shown
            shown += os.read(terminal, 65536)

    read_until(b"acp-spy demo")  # one of the three ways to get a capture
    assert termios.tcgetattr(terminal)[3] != before[3]  # keys come at once
    os.write(terminal, b"q")
    read_until(b"\x1b[?1049l")  # the other screen is left
    assert console.wait(DEADLINE) == 0
    assert termios.tcgetattr(terminal) == before
    os.close(terminal)
    os.close(ours)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_without_a_terminal_the_bare_command_says_what_is_missing(missing, monkeypatch, capfd):
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor != missing)
    assert entry.run([]) == 2
    assert "missing agent command" in capfd.readouterr().err
