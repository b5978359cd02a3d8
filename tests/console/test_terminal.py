"""The console in a real terminal: the bare command opens it, and leaves the terminal as it was."""

import os
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from support import effort
from support.processes import DEADLINE, is_stopped, until
from support.terminals import Terminal, terminal

from acp_spy.cli import app as cli_app
from acp_spy.cli import entry
from acp_spy.console import app
from acp_spy.console.look import cursor_style

LEFT = b"\x1b[?1049l"  # the other screen


def test_the_bare_command_opens_the_console_and_q_leaves_the_terminal_as_it_was(tmp_path):
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")  # one of the three ways to get a capture
        opened.press(b"q")
        opened.read_until(LEFT)


def test_bytes_that_are_no_letters_are_no_reason_to_end(tmp_path):
    """They are of a paste in Latin-1, or the mouse of an old terminal."""
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")
        opened.press(b"\xe9\x1b[M \x99!")
        opened.press(b"q")
        opened.read_until(LEFT)
    assert b"UnicodeDecodeError" not in opened.shown


@pytest.mark.parametrize(
    "keys",
    effort.some_of([b"\x1b[99999999u", b"\x1b[1;1;99999999u"], b"\x1b[999999999999999999A"),
)
def test_a_key_that_there_is_not_is_no_reason_to_end(tmp_path, keys):
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")
        opened.press(keys + b"q")
        opened.read_until(LEFT)
    assert b"a bug in acp-spy" not in opened.shown


def test_a_thread_that_cannot_read_keys_is_a_bug_and_shows_no_values():
    console = app.ConsoleApp("", "", None)
    console.panic("a traceback")
    assert isinstance(console.bug, RuntimeError)


@pytest.mark.parametrize(("missing", "kind"), [(0, "xterm"), (1, "xterm"), (None, "dumb")])
def test_without_a_terminal_the_bare_command_says_what_is_missing(
    missing, kind, monkeypatch, capfd
):
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor != missing)
    monkeypatch.setenv("TERM", kind)
    assert entry.run([]) == 2
    assert "missing agent command" in capfd.readouterr().err
    assert entry.run(["live"]) == 2
    assert "cannot open the console" in capfd.readouterr().err


def test_stderr_may_go_elsewhere_and_the_console_is_drawn_on_stdout(monkeypatch, capfd):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor != 2)
    asked = []
    monkeypatch.setattr(cli_app, "run_app", lambda words: asked.append(words) or 0)
    assert entry.run([]) == 0
    assert asked == [["live"]]
    out, err = os.fstat(1).st_ino, os.fstat(2).st_ino
    with app._drawn_on_terminal():
        assert os.fstat(2).st_ino == out
    assert os.fstat(2).st_ino == err != out


def test_without_color_the_cursor_is_reversed(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    styles = [cursor_style(has_focus=has_focus) for has_focus in (True, False)]
    assert styles[0].reverse
    assert [style.bgcolor for style in styles] == [None, None]


@pytest.mark.long  # another process
def test_without_color_nothing_is_drawn_in_a_color_and_not_in_gray_either(tmp_path):
    recording = Path(__file__).parents[2] / "recordings" / "codex.jsonl"
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path), "NO_COLOR": "1", "COLORTERM": "truecolor"}
    with terminal([sys.executable, "-m", "acp_spy", "live", str(recording)], env) as opened:
        opened.read_until(b"52 frames")
        opened.press(b"\r")
        opened.read_until(b"[details]")
        opened.press(b"f")
        opened.read_until(b"for example")
        opened.press(b"\x03")
        opened.read_until(LEFT)
    drawn = b";".join(re.findall(rb"\x1b\[([0-9;]*)m", opened.shown)).split(b";")
    assert {int(code or 0) for code in drawn} <= {0, 1, 2, 3, 4, 7, 9}, set(drawn)


@pytest.mark.long  # another process
def test_ctrl_z_gives_the_terminal_back_until_the_console_is_resumed(tmp_path):
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")
        assert termios.tcgetattr(opened.descriptor) != opened.before
        opened.press(b"\x1a")
        opened.read_until(LEFT)
        until(lambda: is_stopped(opened.program.pid), "it is stopped")
        assert termios.tcgetattr(opened.descriptor) == opened.before
        opened.shown = b""
        opened.program.send_signal(signal.SIGCONT)
        opened.read_until(b"acp-spy demo")  # drawn again
        opened.press(b"q")
        opened.read_until(LEFT)


@pytest.mark.long  # another process
def test_the_console_ends_with_its_terminal_even_if_no_signal_says_so(tmp_path):
    ours, theirs = os.openpty()
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path), "TERM": "xterm-256color"}
    with (tmp_path / "errors").open("wb") as errors:
        program = subprocess.Popen(
            [sys.executable, "-m", "acp_spy"],
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=errors,
            start_new_session=True,  # the terminal is not its own, so there is no SIGHUP
        )
    try:
        os.close(theirs)
        Terminal(ours, program).read_until(b"acp-spy demo")
        os.close(ours)
        assert program.wait(DEADLINE) == 0
    finally:
        program.kill()
        program.wait()
    assert (tmp_path / "errors").read_bytes() == b""


@pytest.mark.long  # another process
def test_a_signal_ends_the_console_and_leaves_the_terminal_as_it_was(tmp_path):
    env = {**os.environ, "ACP_SPY_DIR": str(tmp_path)}
    with terminal([sys.executable, "-m", "acp_spy"], env) as opened:
        opened.read_until(b"acp-spy demo")
        opened.program.terminate()
        opened.read_until(LEFT)
