"""
No command listens or connects anywhere but at the addresses that it was given.

Most are given none: they open no socket, neither by what is imported, nor by what a real run does.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.processes import DEADLINE
from support.sources import ROOT, imports
from support.terminals import terminal
from support.work import NEEDED

from acp_spy.cli.commands import COMMANDS

EXAMPLE = shlex.quote(str(ROOT / "fixtures" / "example.jsonl"))
OTHER = shlex.quote(str(ROOT / "fixtures" / "torn-last-line.jsonl"))
FOREIGN = shlex.quote(str(ROOT / "fixtures" / "foreign" / "zed.json"))
SCRIPT = shlex.quote(str(ROOT / "tests" / "support" / "scripts" / "drop_noise.py"))

OPENS_SOCKETS = {
    *("socket", "_socket", "ssl", "socketserver", "asyncio", "http", "urllib.request", "urllib3"),
    *("ftplib", "smtplib", "imaplib", "poplib", "nntplib", "telnetlib", "xmlrpc", "webbrowser"),
    *("multiprocessing.connection", "wsgiref", "requests", "httpx", "aiohttp", "websockets"),
}
# A client may give us a socket as stdout: one that is open already, and a name for it.
# The control socket is a Unix socket, and only with an option.
ALLOWED = {
    ("engine/stdio.py", "socket"),
    ("remote/service.py", "ssl"),
    ("cli/serve_page.py", "webbrowser"),  # shows what `view --serve` serves
    ("middleware/holds/client.py", "socket"),
    ("middleware/holds/server.py", "socket"),
    ("middleware/holds/stale_sockets.py", "socket"),
    # Names of an option of a connection that trio has made.
    ("remote/plain_socket.py", "socket"),
    ("remote/plain_socket.py", "socket.SOL_SOCKET"),
    ("remote/plain_socket.py", "socket.SO_LINGER"),
    ("remote/plain_socket.py", "socket.SO_RCVBUF"),
    ("remote/keep_alive.py", "socket"),
    # Textual runs by it.
    ("console/app.py", "asyncio"),
    ("console/conversation_screen.py", "asyncio"),
    ("console/export.py", "asyncio"),
    ("console/page_link.py", "asyncio"),
    ("console/reading.py", "asyncio"),
}
REMOTE = {"http", "serve", "hold"}  # these are given addresses, or talk to a run of this user

AGENT = "python -m acp_spy.demo.agent"
# Each a process, because it starts others; then those of which one process can do all.
WITH_AGENTS = f"""
acp-spy demo -o demo.jsonl
acp-spy -v -o proxied.jsonl -- {AGENT} < /dev/null
acp-spy replay agent {EXAMPLE} < /dev/null
acp-spy replay client demo.jsonl -- {AGENT}
acp-spy doctor -- {AGENT}
"""
OTHERS = f"""
acp-spy view {EXAMPLE}
acp-spy view --format html -o page.html {EXAMPLE}
acp-spy view -f {EXAMPLE}
acp-spy check {EXAMPLE}
acp-spy why {EXAMPLE}
acp-spy rule
acp-spy stats {EXAMPLE}
acp-spy diff {EXAMPLE} {OTHER}
acp-spy script {EXAMPLE} {SCRIPT}
acp-spy faults
acp-spy dialects
acp-spy list
acp-spy prune --older-than 30d --dry-run
acp-spy import {FOREIGN} -o imported.jsonl
acp-spy redact {EXAMPLE} -o redacted.jsonl
acp-spy raw {EXAMPLE} --sender agent
acp-spy setup zed --write -- agent
acp-spy mcp
acp-spy completion bash
acp-spy --help
"""
RUN = """
import shlex, sys
from acp_spy.cli.entry import run
for line in sys.argv[1].split("\\n"):
    print(run(shlex.split(line)[1:]), file=open("statuses", "a"))
"""

# Python tells every process of ours, and what they start, of each socket that is made.
SENTRY = """
import os, sys

NAMED = {"socket.bind", "socket.connect", "socket.sendto", "socket.getaddrinfo"}

def told(event, args):
    # trio wakes itself through a pair of sockets that have no name and reach nobody else.
    if event.startswith("socket.") and not (event == "socket.__new__" and args[1] == 1):
        with open(os.environ["SENTRY"], "a") as file:
            file.write(f"{event} {[a for a in args if not hasattr(a, 'fileno')] if event in NAMED else ''} {sys.argv}\\n")

sys.addaudithook(told)
"""


def test_nothing_is_imported_that_opens_sockets():
    assert {
        (path, name)
        for path, name in imports()
        if name in OPENS_SOCKETS or name.partition(".")[0] in OPENS_SOCKETS
    } == ALLOWED


@pytest.fixture
def sockets_of(tmp_path):
    """Run a script of shell commands; return each socket that anything in it has made."""
    programs = tmp_path / "sentry"
    programs.mkdir()
    (programs / "sitecustomize.py").write_text(SENTRY)
    seen, traced = tmp_path / "seen", tmp_path / "traced"
    # The kernel's own word, where strace is there and allowed: also for what is not Python.
    strace = shutil.which("strace")
    if strace and subprocess.run([strace, "true"], capture_output=True, check=False).returncode:
        strace = None
    assert strace or not os.environ.get(NEEDED), "strace is not there, or not allowed to trace"
    calls = ["-f", "--seccomp-bpf", "-qq", "-e", "trace=socket,connect", "-o", str(traced)]
    trace = [strace, *calls] if strace else []

    def run(script):
        done = subprocess.run(
            [*trace, "/bin/sh", "-c", script],
            capture_output=True,
            text=True,
            errors="replace",
            cwd=tmp_path,
            timeout=2 * DEADLINE,
            check=False,
            env=environment(tmp_path, programs, seen),
        )
        lines = traced.read_text().splitlines() if strace else []
        output = seen.read_text().splitlines() if seen.exists() else []
        return done, output + [line for line in lines if "AF_UNIX" not in line and "(" in line]

    return run


@pytest.mark.long
def test_no_command_opens_a_socket(sockets_of, tmp_path):
    agents, others = WITH_AGENTS.strip().splitlines(), OTHERS.strip()
    lines = [*agents, *others.splitlines()]
    assert {line.split()[1] for line in lines} >= set(COMMANDS) - REMOTE - {"live"}
    script = [f"{line}; echo $? >> statuses" for line in agents]
    script.append(shlex.join(["python", "-c", RUN, others]) + " < /dev/null")
    done, sockets = sockets_of("\n".join(script))
    assert sockets == []
    statuses = (tmp_path / "statuses").read_text().split()
    assert len(statuses) == len(lines)
    assert set(statuses) == {"0", "1"}, done.stderr  # each did what it is for
    made = {"proxied.jsonl", "page.html", "imported.jsonl", "redacted.jsonl", "captures"}
    assert made <= {path.name for path in tmp_path.iterdir()}


def test_the_console_opens_no_socket(tmp_path):
    programs, seen = tmp_path / "sentry", tmp_path / "seen"
    programs.mkdir()
    (programs / "sitecustomize.py").write_text(SENTRY)
    env = environment(tmp_path, programs, seen)
    live = [sys.executable, "-m", "acp_spy", "live", str(ROOT / "fixtures" / "example.jsonl")]
    with terminal(live, env) as opened:
        opened.read_until(b"initialize")
        opened.press(b"q")
        opened.read_until(b"acp-spy demo")  # the captures: there are none
        opened.press(b"q")
        opened.read_until(b"\x1b[?1049l")
    assert not seen.exists()


def environment(tmp_path, programs, seen):
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(programs),
        "SENTRY": str(seen),
        "HOME": str(tmp_path),
        "ACP_SPY_DIR": str(tmp_path / "captures"),
    }


def test_a_remote_command_uses_only_the_addresses_that_it_was_given(tmp_path):
    """An agent is served, relayed and bridged, so that each command has done what it is for."""
    programs = tmp_path / "sentry"
    programs.mkdir()
    (programs / "sitecustomize.py").write_text(SENTRY)
    seen = tmp_path / "seen"
    where = ["--no-check", "--listen", "127.0.0.1:0"]
    response = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
    with ExitStack() as stack:

        def start(*words):
            program = subprocess.Popen(
                ["acp-spy", *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment(tmp_path, programs, seen),
            )
            stack.enter_context(program)
            stack.callback(program.terminate)
            return program

        serve = start("serve", *where, "--", "sed", "-u", f"s/.*/{response}/")
        served = serve.stdout.readline().strip()
        http = start("http", *where, "--target", served)
        relayed = http.stdout.readline().strip()
        bridge = start("--no-check", "--", relayed)
        bridge.stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
        bridge.stdin.flush()
        assert bridge.stdout.readline() == f"{response}\n"
        bridge.stdin.close()
        assert bridge.wait(DEADLINE) == 0
        for program in (http, serve):
            program.send_signal(signal.SIGINT)
            assert program.wait(DEADLINE) == 0
    used = {
        (event, address, "serve" if "'serve'" in words else "http" if "'http'" in words else "--")
        for event, _, rest in (line.partition(" ") for line in seen.read_text().splitlines())
        for address, _, words in [rest.rpartition(" [")]
        if event in {"socket.bind", "socket.connect", "socket.sendto"}
    }
    to_agent, to_relay = (f"[('127.0.0.1', {urlsplit(url).port})]" for url in (served, relayed))
    assert used == {
        ("socket.bind", "[('127.0.0.1', 0)]", "serve"),
        ("socket.bind", "[('127.0.0.1', 0)]", "http"),
        ("socket.connect", to_agent, "http"),
        ("socket.connect", to_relay, "--"),
    }
    looked_up = [line for line in seen.read_text().splitlines() if "getaddrinfo" in line]
    assert all("'127.0.0.1'" in line for line in looked_up)


def test_one_that_does_would_be_noticed(sockets_of):
    """Also in a child that the agent of a proxy starts."""
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()"
    _, sockets = sockets_of(f"acp-spy -o x.jsonl -- python -c '{code}' < /dev/null")
    assert sockets != []
