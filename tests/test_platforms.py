"""What works where: reading captures anywhere, recording wherever there is POSIX."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.elsewhere import without_linux, without_posix
from support.processes import DEADLINE, ECHO, python, starter
from support.sources import imports

from acp_spy import load
from acp_spy.cli.commands import COMMANDS, NEED_POSIX

FIXTURES = Path(__file__).parent.parent / "fixtures"
REFUSED = "it needs Linux, macOS or another POSIX system\n"
HINT = (
    "hint: on Windows, run the agent and acp-spy in WSL;"
    " captures can be read here: `acp-spy view CAPTURE`\n"
)


def test_what_only_posix_has_is_imported_where_agents_are_started_and_nowhere_else():
    modules = {"fcntl", "termios", "tty", "pty", "resource", "pwd", "grp", "select.poll"}
    found = {(path, name) for path, name in imports() if name in modules}
    rooms = ("engine/", "proxy/", "live_check/", "live_replay/")
    elsewhere = {(path, name) for path, name in found if not path.startswith(rooms)}
    assert elsewhere == {
        ("capture/lock.py", "fcntl"),  # which can do without
    }
    assert {name for _, name in found} >= {"fcntl", "termios", "select.poll"}


def test_whatever_reads_a_capture_works_without_posix(tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    shutil.copy(FIXTURES / "example.jsonl", folder / "example.jsonl")
    lines = [
        ["--version"],
        ["--help"],
        ["list"],
        ["list", "--format", "json"],
        ["view", "example"],
        ["view", "example", "--format", "html", "-o", "page.html"],
        ["view", "example", "--format", "markdown"],
        ["check", "example"],
        ["why", "example"],
        ["check", "--format", "json", "example"],
        ["rule"],
        ["faults"],
        ["dialects"],
        ["rule", "FRM004"],
        ["stats", "example"],
        ["diff", "example", str(FIXTURES / "torn-last-line.jsonl")],
        ["raw", "example", "--sender", "agent"],
        ["redact", "example", "-o", "redacted.jsonl", "--home", "--user"],
        ["redact", "--check", "redacted.jsonl"],
        ["import", str(FIXTURES / "foreign" / "zed.json"), "-o", "imported.jsonl"],
        ["setup"],
        ["setup", "zed", "--", "agent"],
        ["setup", "zed", "--remove", "--", "agent"],
        ["completion", "bash"],
        ["prune", "--older-than", "30d", "--dry-run"],
    ]
    # These run by trio, which itself needs here what was removed; it has its own Windows part.
    by_trio = {"script", "mcp"}
    assert {words[0] for words in lines} >= set(COMMANDS) - set(NEED_POSIX) - by_trio
    env = {"ACP_SPY_DIR": str(folder), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done, stderr = without_posix(*lines, cwd=tmp_path, env=env)
    assert [words for words, _, _ in done] == lines, stderr
    found = {"check": {1}, "why": {1}, "diff": {1}, "redact": {0, 1}}
    assert [(w, status) for w, status, _ in done if status not in found.get(w[0], {0})] == []
    silent = ("-o", "--check", "--remove")
    assert [w for w, _, out in done if not out and not any(word in silent for word in w)] == []
    assert f"note: cannot start an agent through acp-spy: {REFUSED}" in stderr  # by setup
    assert load(tmp_path / "redacted.jsonl").frames
    assert load(tmp_path / "imported.jsonl").frames
    assert (tmp_path / "page.html").stat().st_size > 10_000
    (listed,) = [out for words, _, out in done if words == ["list"]]
    assert "running" not in listed


def test_what_starts_an_agent_is_refused_without_posix_in_one_sentence(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    lines = {
        "start an agent": ["--", "agent"],
        "run `acp-spy replay`": ["replay", "agent", "x.jsonl", "--strict"],
        "run `acp-spy doctor`": ["doctor", "--timeout", "3", "--", "agent"],
        "run `acp-spy demo`": ["demo"],
        "start an agent through acp-spy": ["setup", "zed", "--write", "--", "agent"],
    }
    done, stderr = without_posix(*lines.values(), cwd=tmp_path, env=env)
    assert done == [[words, 2, ""] for words in lines.values()]
    assert stderr == "".join(f"error: cannot {what}: {REFUSED}{HINT}" for what in lines)
    assert os.listdir(tmp_path) == []


def test_the_public_names_can_be_imported_without_posix(tmp_path):
    """As the pytest plugin is: by every test run on a user's machine."""
    code = "from acp_spy import *; import acp_spy.pytest_plugin"
    blocked = "import sys; sys.modules |= dict.fromkeys(('fcntl', 'termios', 'resource', 'pwd'))"
    done = subprocess.run(
        [sys.executable, "-c", f"import pytest, subprocess; {blocked}; {code}"],
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.stderr, done.returncode) == (b"", 0)


def test_the_proxy_needs_nothing_that_only_linux_has(tmp_path):
    """No /proc, pidfd, sigwaitinfo or wide pipes: as on macOS."""
    capture = tmp_path / "x.jsonl"
    sent = b'{"jsonrpc": "2.0", "id": 0, "method": "initialize"}\n' + b"x" * 200_000 + b"\n"
    with starter(tmp_path, proxied=False) as start:
        peer = start(without_linux("-v", "-o", str(capture), "--", *ECHO))
        out, err, status = peer.converse(sent)
    assert (out, status) == (sent, 0)
    assert b"frames: 2 from the client, 2 from the agent;" in err
    assert b"; run `acp-spy check " in err
    assert [frame.raw for frame in load(capture).frames if frame.sender.value == "agent"] == [
        line + b"\n" for line in sent.splitlines()
    ]


def test_a_signal_reaches_the_agent_without_what_only_linux_has(tmp_path):
    capture = tmp_path / "x.jsonl"
    agent = python(
        """
        import signal, sys
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        print("ready", flush=True)
        sys.stdin.read()
        """
    )
    with starter(tmp_path, proxied=False) as start:
        peer = start(without_linux("-o", str(capture), "--", *agent))
        assert peer.read_line() == b"ready\n"
        peer.signal(15)
        assert peer.wait() == 7
    assert load(capture).exit.status == 7
