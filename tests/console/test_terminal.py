"""The console in a real terminal: the bare command opens it, and leaves the terminal as it was."""

import os
import sys

import pytest
from support.terminals import terminal

from acp_spy.cli import entry

LEFT = b"\x1b[?1049l"  # the other screen


def test_the_bare_command_opens_the_console_and_q_leaves_the_terminal_as_it_was(tmp_path):
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")  # one of the three ways to get a capture
        opened.press(b"q")
        opened.read_until(LEFT)


@pytest.mark.parametrize("missing", [0, 1])
def test_without_a_terminal_the_bare_command_says_what_is_missing(missing, monkeypatch, capfd):
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor != missing)
    assert entry.run([]) == 2
    assert "missing agent command" in capfd.readouterr().err
