"""As many files or processes as there may be: what the agent would have had, it has; else it is said."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from functools import partial

import pytest
from support import effort
from support.captures import stream
from support.processes import (
    ACP_SPY,
    AT_ONCE_BY_TRIO,
    DEADLINE,
    Peer,
    changed,
    children,
    is_alive,
    is_run_by_trio,
    python,
    until,
    without_trio,
)

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header

QUESTION = b'{"n": 1}\n'
MIB = 1024 * 1024
# Answers, and says how many files it may open, and whether we have touched its locale.
ECHO_THEN_7 = python(
    """
    import json, os, resource
    while chunk := os.read(0, 65536):
        os.write(1, chunk)
    with open("/proc/self/environ", "rb") as file:
        is_ours = b"LC_CTYPE=" in file.read()
    os.write(1, json.dumps([*resource.getrlimit(resource.RLIMIT_NOFILE), is_ours]).encode())
    os._exit(7)
    """
)


def limited_to(soft, hard=None):
    return partial(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard or soft))


@pytest.mark.parametrize("most", [6, 10, 14])
def test_few_open_files_are_the_agents_limit_and_not_ours(start, most):
    """The hard limit leaves us room, of which the agent does not get to know."""
    peer = start(ECHO_THEN_7, env={"PATH": os.environ["PATH"]}, preexec_fn=limited_to(most, 100))
    out, err, status = peer.converse(QUESTION)
    assert (out, err, status) == (QUESTION + json.dumps([most, 100, False]).encode(), b"", 7)
    if peer.capture:
        assert stream(peer.capture, "agent") == out


def test_where_there_is_no_room_for_a_judge_the_conversation_goes_on_unjudged(spy):
    spy.program = changed(AT_ONCE_BY_TRIO)
    peer = spy(ECHO_THEN_7, preexec_fn=limited_to(11))
    out, err, status = peer.converse(QUESTION)
    assert out.startswith(QUESTION)
    output = b"acp-spy: not checking: cannot start the checker: Too many open files\n"
    assert (err, status) == (output + without_trio("Too many open files"), 7)
    assert stream(peer.capture, "agent") == out


@pytest.mark.parametrize("most", range(6, 11))
def test_where_there_is_no_room_for_pipes_nothing_is_started_and_that_is_said(spy, most):
    output = f"acp-spy: cannot start `{ECHO_THEN_7[0]}`: Too many open files\n"
    peer = spy(ECHO_THEN_7, preexec_fn=limited_to(most))
    assert peer.converse(QUESTION) == (b"", output.encode(), 126)


# What needs more files than there may be, and what ends anyway.
COMMANDS = {
    "script": ["script", "run.jsonl", "--fault", "drop"],
    "demo": ["demo", "-o", "new.jsonl"],
    "a bridge": ["--dir", ".", "--", "ws://127.0.0.1:1/x"],
    "mcp": ["mcp"],
}


@pytest.mark.parametrize("most", effort.some_of((6, 8), 6))
@pytest.mark.parametrize("name", effort.some_of(COMMANDS, "script", "a bridge"))
def test_too_few_open_files_are_no_bug(name, most, tmp_path):
    (tmp_path / "run.jsonl").write_bytes(encode([Header()]))
    done = subprocess.run(
        [*ACP_SPY, *COMMANDS[name]],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
        preexec_fn=limited_to(most),
    )
    assert b"Traceback" not in done.stderr
    assert b"a bug" not in done.stderr
    assert done.returncode == 2
    assert b"Too many open files" in done.stderr


def test_a_soft_limit_is_not_that_of_a_bridge(tmp_path):
    done = subprocess.run(
        [*ACP_SPY, *COMMANDS["a bridge"]],
        cwd=tmp_path,
        input=b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n',
        capture_output=True,
        timeout=DEADLINE,
        check=False,
        preexec_fn=limited_to(8, 100),
    )
    assert b"Connection refused" in done.stderr
    assert json.loads(done.stdout)["id"] == 1


@pytest.mark.parametrize("most", effort.some_of(range(6, 22), *range(6, 22, 3)))
def test_where_there_is_no_room_to_change_the_traffic_nothing_is_started(spy, most):
    """Or all of it goes on: never is a conversation begun and given up."""
    peer = spy(ECHO_THEN_7, "--control", preexec_fn=limited_to(most))
    out, err, status = peer.converse(QUESTION)
    if most < 19:
        assert (out, status) == (b"", 2)
        assert err == (
            b"error: cannot change the traffic: too few files can be open at once\n"
            b"hint: raise the limit: `ulimit -n 64`\n"
        )
    else:
        assert (out[: len(QUESTION)], status) == (QUESTION, 7)


NO_THREAD = without_trio("can't start new thread").decode()
# What is left to a user who may have so many processes and threads, the proxy being the first.
MOST_PROCESSES = {
    1: (b"", f"cannot start `{ECHO_THEN_7[0]}`: Resource temporarily unavailable", 126),
    2: (
        QUESTION,
        "not checking: cannot start the checker: Resource temporarily unavailable\n"
        + NO_THREAD.rstrip("\n"),
        7,
    ),
    3: (
        QUESTION,
        "checking stopped: cannot start the checker: this process has another thread; the recording is not affected",
        7,
    ),
}


@pytest.mark.parametrize("most", MOST_PROCESSES)
def test_a_limit_on_processes(tmp_path, most):
    """As a user who has no other: the limit is on all processes of one, and root has none."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("becoming somebody else needs root, and setpriv of util-linux")
    tmp_path.chmod(0o777)
    nobody_else = 40_000 + os.getpid() % 20_000
    somebody = ["setpriv", f"--reuid={nobody_else}", "--inh-caps=+dac_override"]
    somebody += ["--ambient-caps=+dac_override"]  # to read Python and this checkout
    limit = partial(resource.setrlimit, resource.RLIMIT_NPROC, (most, most))
    capture = tmp_path / "x.jsonl"
    peer = Peer(
        [*somebody, *changed(AT_ONCE_BY_TRIO), "-o", str(capture), "--", *ECHO_THEN_7],
        capture,
        preexec_fn=limit,
    )
    out, output, status = MOST_PROCESSES[most]
    if most == 3:  # the judge comes to this only after a moment, and is read in the end
        peer.send(QUESTION)
        assert peer.read_line() == QUESTION
        assert peer.read(len(NO_THREAD), peer.stderr).decode() == NO_THREAD
        _agent, judge = children(peer.pid)
        until(lambda: not is_alive(judge), "the judge has ended")
        said, err, ended = peer.converse()
        assert (err.decode(), ended) == (f"acp-spy: {output}\n", status)
    else:
        said, err, ended = peer.converse(QUESTION)
        assert (err.decode(), ended) == (f"acp-spy: {output}\n", status)
        assert said.startswith(out)
    assert not out or stream(capture, "client") == QUESTION


WITHOUT_THREADS = f"""
import _thread
def fail(*_): raise RuntimeError("can't start new thread")
_thread.start_new_thread = fail
{AT_ONCE_BY_TRIO}
import acp_spy.__main__ as m
m.main()
"""
TELLS_SIGNALS = python(
    """
    import os, signal
    numbers = {signal.SIGTERM, signal.SIGINT, signal.SIGUSR1}
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    os.write(1, b"ready\\n")
    for _ in numbers:
        os.write(1, b"got %d\\n" % signal.sigwait(numbers))
    os._exit(7)
    """
)


def test_signals_reach_the_agent_even_if_we_may_not_have_a_thread_for_them(tmp_path):
    words = [sys.executable, "-c", WITHOUT_THREADS, "--no-check", "-o", f"{tmp_path}/x.jsonl", "--"]
    peer = Peer([*words, *TELLS_SIGNALS], None)
    assert peer.read_line() == b"ready\n"
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        peer.signal(number)
        assert peer.read_line() == b"got %d\n" % number
    assert peer.converse() == (b"", without_trio("can't start new thread"), 7)


def test_a_line_for_which_there_is_no_memory_is_carried_all_the_same(spy):
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (200 * MIB, 200 * MIB))
    peer = spy(["/bin/cat"], preexec_fn=limit)
    line = b'"' + b"x" * 60 * MIB + b'"\n'
    out, err, status = peer.converse(line)
    assert out == line
    output = b"acp-spy: recording stopped: out of memory; the conversation continues\n"
    # Whether trio is loaded by then, or cannot be for the same reason, depends on who is faster.
    assert re.sub(re.escape(without_trio("WHY")).replace(b"WHY", b"[^\n]+"), b"", err) == output
    assert status == 0


def test_a_limit_that_comes_down_while_we_run_is_no_obstacle(spy):
    """To end a stream we open /dev/null in its place, and must have a number for it."""
    peer = spy(ECHO_THEN_7)
    peer.send(QUESTION)
    assert peer.read_line() == QUESTION
    until(lambda: is_run_by_trio(peer.pid), "trio is loaded")
    resource.prlimit(peer.pid, resource.RLIMIT_NOFILE, (11, 11))  # all of them are taken
    out, err, status = peer.converse(QUESTION)
    assert out.startswith(QUESTION)
    assert (err, status) == (b"", 7)
