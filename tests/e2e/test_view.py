"""`acp-spy view` in a terminal, in a pipe that is closed, and while the proxy writes."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from support import effort
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE, python, until

from acp_spy.capture.lock import hold
from acp_spy.view.formats import FORMATS

EXAMPLE = str(Path(__file__).parents[2] / "fixtures" / "example.jsonl")


@pytest.mark.parametrize(
    "options", effort.some_of(["-o /dev/stdout", "-o /dev/stdout --raw"], "--format text")
)
def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path, options):
    long = tmp_path / "long.jsonl"
    line = '{"type":"stderr","t":1.0,"text":"some words\\n"}\n'
    long.write_text('{"type":"header","format":1}\n' + line * 100_000)
    done = subprocess.run(
        f"{sys.executable} -m acp_spy view {long} {options} | head -3; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


@pytest.mark.parametrize("form", effort.some_of(FORMATS, "text", "html"))
def test_a_pipe_is_shown_as_the_file_that_comes_through_it(form):
    words = ("view", "/dev/stdin", "--format", form)
    through_a_pipe = acp_spy(*words, stdin=Path(EXAMPLE).read_bytes())
    assert "bye" in through_a_pipe.out
    assert through_a_pipe[1:] == ("", 0)
    with open(EXAMPLE, "rb") as file:
        assert through_a_pipe == acp_spy(*words, stdin=file)


# ----------------------------------------------------------------------------- in a terminal


class Screen:
    """A command in a terminal of its own, and all that it has written there."""

    def __init__(self, *words, columns=80, lines=24, **environment):
        self.written = ""
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            settings = {"TERM": "xterm", "PAGER": "", **environment}
            os.execve(ACP_SPY[0], [*ACP_SPY, *words], {**os.environ, **settings})
        self.resize(columns, lines)

    def resize(self, columns, lines=24):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds=0.05):
        """Take in what is written within so many seconds; return false at the end."""
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # how a terminal ends
                return False
            self.written += self._decode(data)
            return bool(data)
        return True

    def wait_for(self, words):
        end = time.monotonic() + DEADLINE
        while words not in self.written:
            assert time.monotonic() < end, f"`{words}` was not written:\n{self.written}"
            assert self.read(), f"`{words}` was not written:\n{self.written}"

    def end(self):
        """Wait for the command's end; return its exit status."""
        deadline = time.monotonic() + DEADLINE
        while self.read():
            assert time.monotonic() < deadline, f"it has not ended:\n{self.written}"
        # The terminal's end is that of the last who has it open: the command is about to exit.
        until(self._has_ended, "the command has exited")
        return os.waitstatus_to_exitcode(self._status)

    def _has_ended(self):
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    def close(self):
        """Leave nothing behind, however the test has ended."""
        if not self._has_ended():
            os.kill(self.pid, signal.SIGKILL)
            self._status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)


@pytest.fixture
def terminal():
    """Give a function that starts a command in a terminal, which is closed after the test."""
    screens = []

    def start(*words, **options):
        screens.append(Screen(*words, **options))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


def test_a_terminal_has_colours_unless_they_are_not_wanted(terminal):
    for environment, has_colours in (
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ):
        screen = terminal("view", EXAMPLE, **environment)
        assert screen.end() == 0
        assert ("\x1b[" in screen.written) == has_colours


@pytest.mark.parametrize(("lines", "is_paged"), [(10, True), (1000, False)])
@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (["view", EXAMPLE], 0, "agent exited"),
        (["check", EXAMPLE], 1, "10 frames, "),
        (["rule", "RPC006"], 0, "Online: https://"),
    ],
    ids=["view", "check", "rule"],
)
def test_what_is_longer_than_the_screen_is_paged(
    terminal, lines, is_paged, words, status, last, tmp_path
):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    # The size of a new terminal is set after its birth: it is told by the environment, too.
    screen = terminal(*words, lines=lines, PAGER=str(pager), LINES=str(lines), COLUMNS="80")
    assert screen.end() == status
    assert ("PAGED" in screen.written) == is_paged
    assert last in screen.written


def test_what_cannot_be_checked_is_reported_when_the_pager_was_left(terminal, tmp_path):
    """And it is checked, though the person has not seen it."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nhead -2\necho LEFT\n")
    pager.chmod(0o755)
    captures = [EXAMPLE, "missing.jsonl"]
    screen = terminal("check", *captures, PAGER=str(pager), LINES="5", COLUMNS="80")
    assert screen.end() == 2
    assert "error: cannot read `missing.jsonl`" in screen.written.partition("LEFT")[2]


def test_a_pager_that_is_left_early_is_no_error(terminal, tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nexec head -2\n")
    pager.chmod(0o755)
    screen = terminal("view", EXAMPLE, PAGER=str(pager), LINES="5", COLUMNS="80")
    assert screen.end() == 0
    assert "Traceback" not in screen.written


# ----------------------------------------------------------------------------- following

AGENT = python(
    """
    import json, sys
    def send(**message):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
        sys.stdout.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "chunk":
            text = {"type": "text", "text": asked["params"]["text"]}
            update = {"sessionUpdate": "agent_message_chunk", "content": text}
            send(method="session/update", params={"sessionId": "s-1", "update": update})
        elif asked["method"] != "session/prompt":
            send(id=asked["id"], result={"sessionId": "s-1"})
    """
)


@pytest.fixture
def proxy(tmp_path):
    """Give a proxy that records, and a way to say something to its agent."""
    capture = tmp_path / "run.jsonl"
    process = subprocess.Popen(
        [*ACP_SPY, "--no-check", "-o", capture, "--", *AGENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )

    def say(**message):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()

    say(id=1, method="session/new", params={"cwd": "/p", "mcpServers": []})
    until(
        lambda: capture.exists() and b'"result"' in capture.read_bytes(), "the agent has answered"
    )
    yield capture, say, process
    process.kill()
    process.wait()
    process.stdin.close()


def test_a_growing_capture_is_followed_in_a_terminal(terminal, proxy):
    capture, say, process = proxy
    screen = terminal("view", str(capture), "-f")
    screen.wait_for("no request is pending")
    say(id=2, method="session/prompt", params={"sessionId": "s-1", "prompt": []})
    screen.wait_for("waiting for agent: `session/prompt`")
    say(method="chunk", params={"text": "one "})
    screen.wait_for("agent says\x1b[0m  one")
    say(method="chunk", params={"text": "two "})
    screen.wait_for("one two")
    process.stdin.close()
    screen.wait_for("the capture ended (the agent exited); press Ctrl-C to quit")
    os.write(screen.fd, b"\x03")
    assert screen.end() == 130
    assert "Traceback" not in screen.written


def test_a_growing_capture_is_followed_in_a_pipe_and_a_torn_line_is_waited_for(tmp_path):
    capture = tmp_path / "run.jsonl"
    whole = Path(EXAMPLE).read_bytes()
    lines = whole.splitlines(keepends=True)
    capture.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    with capture.open("ab", buffering=0) as file:
        hold(file.fileno())  # as a proxy does: it is waited for, however slow it is
        follow_to_the_end(capture, file, lines)


def follow_to_the_end(capture, file, lines):
    with subprocess.Popen(
        [*ACP_SPY, "view", "-f", capture],
        stdout=subprocess.PIPE,
        bufsize=0,
        env={**os.environ, "COLUMNS": "80"},
    ) as following:
        seen = b""

        def read_until(words):
            nonlocal seen
            while words not in seen:
                assert select.select([following.stdout], [], [], DEADLINE)[0]
                chunk = os.read(following.stdout.fileno(), 65536)
                assert chunk, seen
                seen += chunk

        read_until(b"initialize")
        assert b"[info] hello" not in seen
        file.write(lines[3][20:])
        read_until(b"[info] hello")
        file.write(b"".join(lines[4:]))
        read_until(b"the capture ended (the agent exited)")
        assert following.wait(DEADLINE) == 0
    assert seen.count(b"initialize  version 1") == 1


def test_the_editor_may_be_started_after_the_view(tmp_path):
    folder = tmp_path / "captures"  # the proxy makes it
    environment = {**os.environ, "ACP_SPY_DIR": str(folder), "COLUMNS": "80"}
    with subprocess.Popen(
        [*ACP_SPY, "view", "-f", "kind:request"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as following:
        said = following.stderr.readline().decode()
        assert said == f"waiting for a recording in {folder}; press Ctrl-C to stop\n"
        new = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/p"}}
        subprocess.run(
            [*ACP_SPY, "--no-check", "--", *AGENT],
            input=json.dumps(new).encode() + b"\n",
            stdout=subprocess.DEVNULL,
            env=environment,
            timeout=DEADLINE,
            check=True,
        )
        shown = following.communicate(timeout=DEADLINE)[0].decode()
    (capture,) = folder.iterdir()
    assert shown.startswith(f"{capture}\n")
    assert "session/new  in /p\n" in shown
    assert shown.endswith("the capture ended (the agent exited)\n")
    assert following.returncode == 0


def test_nothing_is_drawn_anew_where_it_cannot_be(terminal):
    """Colours that are forced into a pipe do not make it a terminal; nor is a dumb one."""
    following = [*ACP_SPY, "view", "-f", EXAMPLE]
    environment = {**os.environ, "TERM": "xterm", "FORCE_COLOR": "1"}
    done = subprocess.run(
        following, env=environment, capture_output=True, timeout=DEADLINE, check=True
    )
    assert b"\x1b[1m" in done.stdout
    assert b"pending" not in done.stdout
    assert set(re.findall(rb"\x1b\[[0-9;]*(.)", done.stdout)) == {b"m"}
    screen = terminal("view", "-f", EXAMPLE, TERM="dumb")
    assert screen.end() == 0
    assert "\x1b" not in screen.written
    assert "pending" not in screen.written
    assert screen.written.endswith("the capture ended (the agent exited)\r\n")


def test_what_follows_is_as_wide_as_the_window_has_become(terminal, proxy):
    capture, say, _ = proxy
    screen = terminal("view", str(capture), "-f", columns=120, NO_COLOR="1", COLUMNS="", LINES="")
    screen.wait_for("no request is pending")
    say(id=2, method="session/prompt", params={"sessionId": "s-1", "prompt": []})
    screen.wait_for("client → ╭ session/prompt")
    screen.resize(60)
    say(id=3, method="session/" + "x" * 200)
    screen.wait_for("response to session/xxx")
    os.write(screen.fd, b"\x03")
    assert screen.end() == 130
    written = re.sub(r"\x1b\[[0-9]*[FJ]", "", screen.written)
    assert max(len(line) for line in written.splitlines() if "session/xxx" in line) == 60


def test_a_proxy_that_was_killed_is_said_to_be_gone(terminal, proxy):
    capture, _, process = proxy
    screen = terminal("view", str(capture), "-f")
    screen.wait_for("no request is pending")
    process.kill()
    screen.wait_for("the capture ended (cut off: the agent's exit was not recorded)")
    os.write(screen.fd, b"\x03")
    assert screen.end() == 130
