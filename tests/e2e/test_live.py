"""Live findings: told while the conversation goes on, and never at its expense."""

import fcntl
import os
import re
import resource
import signal
import socket
import subprocess
from functools import partial
from pathlib import Path

import pytest
from support.captures import live_findings, offline_findings, stream
from support.effort import some_of
from support.plays import Play
from support.processes import (
    ACP_SPY,
    DEADLINE,
    ECHO,
    Peer,
    changed,
    children,
    end_of,
    is_alive,
    judge_of,
    niceness,
    open_files,
    pause,
    python,
    until,
)

from acp_spy import load

FIXTURES = Path(__file__).parents[2] / "fixtures"
QUESTION = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
NOISE = b"[info] ready\n"
EXITS_7 = python("import os\nwhile os.read(0, 65536): pass\nos._exit(7)")


@pytest.fixture
def spy(spy):
    """Start a command behind acp-spy whose judge does not wait for a lull before it loads."""
    spy.program = changed("import acp_spy.live_check.checker as j; j.LOADING = 0")
    return spy


def gone(pid):
    until(lambda: not is_alive(pid), "the judge has gone")


def found(capture):
    return [(finding["seq"], finding["code"]) for finding in live_findings(capture)]


def equal(capture):
    """Return what was found, after having seen that it is what `check` finds."""
    assert live_findings(capture) == offline_findings(capture)
    return found(capture)


def loaded(peer):
    """Wait until the judge has loaded its rules, which the first finding shows."""
    peer.send(NOISE)
    peer.read_line()
    first_finding(peer)


def first_finding(peer):
    needle = b'{"type":"finding",'
    until(lambda: needle in peer.capture.read_bytes(), "the first finding is in the capture")


def test_findings_are_in_the_capture_while_the_conversation_goes_on(spy):
    peer = spy(ECHO)
    peer.send(NOISE)
    assert peer.read_line() == NOISE
    first_finding(peer)
    assert peer.process.poll() is None
    (first, *_) = live_findings(peer.capture)
    assert first["seq"] in (1, 2)
    assert (first["code"], first["name"], first["severity"]) == (
        "FRM004",
        "non-json-rpc-line",
        "error",
    )
    assert {"blame", "text", "t"} <= first.keys()


def test_the_frame_is_passed_on_though_the_judge_is_stopped(spy):
    """Also the ends: it holds no pipe of the client's or the agent's."""
    peer = spy(ECHO)
    judge = judge_of(peer)
    os.kill(judge, signal.SIGSTOP)
    assert peer.converse(QUESTION) == (QUESTION, b"", 0)
    assert is_alive(judge)
    assert found(peer.capture) == []
    os.kill(judge, signal.SIGCONT)
    gone(judge)
    assert (2, "RPC015") in equal(peer.capture)


def test_a_judge_that_is_ready_has_told_everything_when_the_proxy_ends(tmp_path):
    """In a tenth of a second, which is made long here: the machine may be busy."""
    patience = f"import acp_spy.live_check.checker as j\nj.PATIENCE = {DEADLINE}"
    peer = Peer(proxy_with(patience, tmp_path, agent=ECHO), tmp_path / "x.jsonl")
    loaded(peer)
    judge = judge_of(peer)
    assert peer.converse(QUESTION) == (QUESTION, b"", 0)
    assert not os.path.exists(f"/proc/{judge}")  # reaped, too
    assert (4, "RPC015") in equal(peer.capture)


def test_verbose_tells_each_finding_and_sums_up(tmp_path):
    path = f"{tmp_path}/a b.jsonl"
    done = subprocess.run(
        [*ACP_SPY, "-v", "-o", path, "--", *EXITS_7],
        input=QUESTION,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.stdout, done.returncode) == (b"", 7)
    assert re.sub(r"\d+\.\d s", "# s", done.stderr.decode()) == (
        f"acp-spy: recording to {path}\n"
        "acp-spy: frame 1: warning LIF003 `clientCapabilities` is missing; the peer will assume"
        " that nothing is supported (client must fix)\n"
        "acp-spy: frame 1: warning LIF004 `clientInfo` is missing; expected name and version"
        " (client must fix)\n"
        "acp-spy: frame 1: error RPC006 `initialize` was never answered (agent must fix)\n"
        "acp-spy: frames: 1 from the client, 0 from the agent; # s; the agent exited with status 7;"
        f" {path}\n"
        f"acp-spy: findings: 1 error, 2 warnings; run `acp-spy check '{path}'`\n"
    )
    assert len(equal(path)) == 3


WRONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n' * 1000
SENDS_WRONG = python(f"import os\nwhile os.read(0, 9): os.write(1, {WRONG!r})")


@pytest.mark.parametrize("kind", some_of(["pipe", "socket"], "socket"))
def test_a_reader_of_stderr_that_is_slow_is_told_everything(spy, kind):
    """More than is taken at once; nothing is read before all is in the capture, and passed on."""
    ours, theirs = os.pipe() if kind == "pipe" else map(socket.socket.detach, socket.socketpair())
    peer = spy(SENDS_WRONG, "-v", stderr=theirs)
    os.close(theirs)
    for number in (1, 2):
        peer.send(b"1")
        assert peer.read(len(WRONG)) == WRONG
        until(lambda n=number: len(live_findings(peer.capture)) >= n * 1000, "all is found")
    peer.close_stdin()
    output = peer.read_all(ours).decode().splitlines()
    os.close(ours)
    assert peer.wait() == 0
    findings = [line for line in output if line.startswith("acp-spy: frame ")]
    assert len(findings) == len(equal(peer.capture))
    assert output[-2].startswith("acp-spy: frames: 1 from the client, 2000 from the agent; ")
    assert output[-1].startswith(f"acp-spy: findings: {len(findings)} errors; ")


def test_payload_text_cannot_act_when_it_is_told(tmp_path):
    done = subprocess.run(
        [*ACP_SPY, "-v", "-o", f"{tmp_path}/x.jsonl", "--", *ECHO],
        input=b"\x1b[2J ready\n",
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert b"\\x1b[2J ready" in done.stderr
    assert b"\x1b" not in done.stderr


def test_nothing_found_is_said_in_a_word(spy):
    _, err, _ = spy(["/bin/true"], "-v").converse()
    assert err.endswith(b"\nacp-spy: findings: none\n")


def test_no_check_starts_no_judge(spy):
    peer = spy(ECHO, "--no-check", "-v")
    peer.send(NOISE)
    assert peer.read_line() == NOISE
    assert len(children(peer.pid)) == 1
    _, err, status = peer.converse()
    assert status == 0
    assert len(err.splitlines()) == 2
    assert found(peer.capture) == []
    assert offline_findings(peer.capture)


@pytest.mark.parametrize("ready", [False, True], ids=["while it loads", "when it is ready"])
def test_a_killed_proxy_leaves_a_valid_capture_with_its_findings(spy, ready):
    play = Play(spy)
    peer = play.peer
    judge = judge_of(peer)
    play.play(load(FIXTURES / "example.jsonl").records[:6])
    if ready:
        first_finding(peer)
    peer.signal(signal.SIGKILL)
    assert peer.wait() == -signal.SIGKILL
    gone(judge)
    assert load(peer.capture).exit is None
    assert {code for _, code in equal(peer.capture)} >= {"FRM004"}
    play.end()


def test_a_killed_proxy_leaves_them_in_its_capture_whatever_is_at_its_path_by_then(spy, tmp_path):
    play = Play(spy)
    peer = play.peer
    judge = judge_of(peer)
    play.play(load(FIXTURES / "example.jsonl").records[:6])
    moved = tmp_path / "moved.jsonl"
    peer.capture.rename(moved)
    peer.capture.write_bytes(b"another")
    peer.signal(signal.SIGKILL)
    assert peer.wait() == -signal.SIGKILL
    gone(judge)
    assert {code for _, code in equal(moved)} >= {"FRM004"}
    assert peer.capture.read_bytes() == b"another"
    play.end()


@pytest.mark.parametrize("moment", some_of(range(10), 0, 2))
def test_kills_in_the_midst_of_many_findings_lose_none(spy, moment):
    """Wherever they are just then: in the judge, in the pipe, in the proxy, in the file."""
    peer = spy(SENDS_WRONG)
    judge = judge_of(peer)
    peer.send(b"1")
    first_finding(peer)
    peer.send(b"2")
    pause(moment / 50)
    peer.signal(signal.SIGKILL)
    peer.wait()
    gone(judge)
    if is_torn(peer.capture):  # in a frame, behind which nothing can be put
        output = live_findings(peer.capture)
        assert output == offline_findings(peer.capture)[: len(output)]
    else:
        assert len(equal(peer.capture)) >= 1000


def is_torn(capture):
    last = capture.read_bytes().splitlines(keepends=True)[-1]
    assert last.endswith(b"\n") or not last.startswith(b'{"type":"finding",')
    return not last.endswith(b"\n")


def test_a_killed_judge_is_told_once_and_disturbs_nobody(spy):
    peer = spy(ECHO)
    os.kill(judge_of(peer), signal.SIGKILL)
    output = b"acp-spy: checking stopped: the checker was killed; the recording is not affected\n"
    assert peer.read(len(output), peer.stderr) == output
    lines = b'{"n": 1}\n' * 10_000
    assert peer.converse(lines) == (lines, b"", 0)
    assert stream(peer.capture, "agent") == lines


BUGS = {
    "loading": ("import sys\nsys.modules['acp_spy.lint.catalogue'] = None", "ModuleNotFoundError"),
    "tracking": (
        "import acp_spy.conversation.tracker as t\nt.Tracker.look = lambda *a: 1 / 0",
        "ZeroDivisionError",
    ),
    "telling": ("import acp_spy.engine.tap as t\nt.Tap.findings = None", "TypeError"),
    "starting": ("import acp_spy.live_check.checker as j\nj.CheckerProcess = None", "TypeError"),
}


def proxy_with(change, tmp_path, *options, agent=EXITS_7):
    """Return the command line of a proxy in which something of acp-spy is changed."""
    return [*changed(change), "-o", f"{tmp_path}/x.jsonl", *options, "--", *agent]


def run_with(bug, tmp_path):
    """Run it until the judge has met the bug."""
    command = proxy_with(bug, tmp_path, "-v")
    return subprocess.run(
        command, input=QUESTION, capture_output=True, timeout=DEADLINE, check=False
    )


@pytest.mark.parametrize("name", some_of(BUGS, "tracking"))
def test_a_bug_of_ours_in_judging_is_told_once_and_stops_nothing(name, tmp_path):
    bug, error = BUGS[name]
    done = run_with(bug, tmp_path)
    assert (done.stdout, done.returncode) == (b"", 7)
    bugs = [line for line in done.stderr.decode().splitlines() if "a bug in acp-spy" in line]
    assert len(bugs) == 1
    assert error in bugs[0]
    assert b"Traceback" not in done.stderr
    assert stream(tmp_path / "x.jsonl", "client") == QUESTION


def test_a_rule_that_raises_is_told_once_and_the_others_go_on(tmp_path):
    bug = (
        "from acp_spy.lint import catalogue as c\n"
        "import msgspec\n"
        "def broken(*a): raise RuntimeError('a planted bug')\n"
        "c.CATALOGUE['LIF004'] = msgspec.structs.replace(c.CATALOGUE['LIF004'], check=broken)"
    )
    done = run_with(bug, tmp_path)
    assert done.returncode == 7
    assert (
        b"acp-spy: a bug in acp-spy, please report it: rule LIF004 raised"
        b" RuntimeError('a planted bug') at frame 1\n"
    ) in done.stderr
    assert [code for _, code in found(tmp_path / "x.jsonl")] == ["LIF003", "RPC006"]


def test_a_rule_that_never_ends_is_ended(tmp_path):
    bug = (
        "from acp_spy.lint import catalogue as c\n"
        "import acp_spy.live_check.follow as l, msgspec\n"
        "l._STUCK = 0.2\n"
        "def endless(*a):\n    while True: pass\n"
        "c.CATALOGUE['LIF004'] = msgspec.structs.replace(c.CATALOGUE['LIF004'], check=endless)"
    )
    done = run_with(bug, tmp_path)
    assert (done.stdout, done.returncode) == (b"", 7)
    assert b"acp-spy: checking stopped: the checker was killed" in done.stderr
    assert b"acp-spy: findings: none so far; run `acp-spy check" in done.stderr


def test_a_judge_that_never_ends_does_not_stay(tmp_path):
    bug = (
        "import acp_spy.live_check.checker as j, acp_spy.live_check.follow as l\n"
        "j.TIME_FOR_THE_REST = 1\n"
        "def endless(*a):\n    while True: pass\n"
        "l.follow = endless"
    )
    with Peer(proxy_with(bug, tmp_path), None).process as process:
        judge = judge_of(process)
        assert process.communicate(QUESTION, DEADLINE) == (b"", b"")
        assert process.returncode == 7
        gone(judge)


def test_with_verbose_a_stopped_judge_is_waited_for_so_long_and_then_ended(tmp_path):
    bound = "import acp_spy.live_check.checker as j\nj.TIME_FOR_THE_REST = 1"
    with Peer(proxy_with(bound, tmp_path, "-v"), None).process as process:
        judge = judge_of(process)
        os.kill(judge, signal.SIGSTOP)
        output, messages = process.communicate(QUESTION, DEADLINE)
        assert (output, process.returncode) == (b"", 7)
        gone(judge)
    (line,) = [line for line in messages.splitlines() if b"checking stopped" in line]
    assert b"the checker has not ended in 1 seconds" in line
    assert b"findings: none so far; run `acp-spy check" in messages


def test_a_ctrl_c_for_the_whole_group_does_not_reach_the_judge(spy):
    peer = spy(["/bin/sleep", "1000"], start_new_session=True)
    judge = judge_of(peer)
    os.killpg(peer.pid, signal.SIGINT)
    assert peer.wait() == -signal.SIGINT
    gone(judge)
    assert load(peer.capture).exit.status == -signal.SIGINT
    equal(peer.capture)


def test_a_capture_that_cannot_be_read_back_is_not_checked(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run(
        [*ACP_SPY, "-v", "-o", str(pipe), "--", *EXITS_7],
        input=QUESTION,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 7
    output = f"acp-spy: not checking: `{pipe}` is not a regular file\n"
    assert output in done.stderr.decode()
    assert b"finding" not in done.stderr
    assert b'"client"' in os.read(reader, 65536)
    os.close(reader)


def test_a_command_that_is_not_there_is_judged_too(spy):
    _, err, status = spy(["no-such-agent"]).converse()
    assert (err, status) == (b"acp-spy: command not found: `no-such-agent`\n", 127)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_waits_for_the_findings_of_a_command_that_is_not_there_can_be_ended(tmp_path, number):
    endless = (
        "import acp_spy.live_check.follow as l\nl.follow = lambda *a: __import__('time').sleep(99)"
    )
    peer = Peer(proxy_with(endless, tmp_path, "-v", agent=["no-such-agent"]), tmp_path / "x.jsonl")
    output = b"acp-spy: recording to %b/x.jsonl\n" % bytes(tmp_path)
    output += b"acp-spy: command not found: `no-such-agent`\n"
    assert peer.read(len(output), peer.stderr) == output
    judge = judge_of(peer, agents=0)  # what could not be started is gone
    peer.signal(number)
    assert peer.converse() == (b"", b"", -number)
    end_of(judge)


def test_the_judge_has_nothing_of_the_clients_and_little_priority(spy):
    """Also above a limit on open files, which may have been lowered since."""
    reader, writer = os.pipe()
    high = fcntl.fcntl(writer, fcntl.F_DUPFD_CLOEXEC, 100)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    lower = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (50, hard))
    peer = spy(ECHO, pass_fds=(writer, high), preexec_fn=lower)
    loaded(peer)
    judge = judge_of(peer)
    allowed = {"/dev/null", str(peer.capture)}  # and, for a moment, a module that it loads
    until(
        lambda: {name for name in open_files(judge) if name[0] == "/"} == allowed, "no more is open"
    )
    others = {name for name in open_files(judge) if name[0] != "/"}
    assert len(others) == 2
    assert all(name.startswith("pipe:") for name in others)
    assert niceness(judge) == min(19, niceness(peer.pid) + 5)
    assert os.getpgid(judge) == judge
    for descriptor in (reader, writer, high):
        os.close(descriptor)


def test_the_findings_of_a_capture_are_not_found_again(spy):
    """`check` and `raw` pass over them."""
    peer = spy(ECHO, "-v")
    peer.converse(NOISE)
    assert equal(peer.capture)
    done = subprocess.run(
        [*ACP_SPY, "raw", str(peer.capture), "--sender", "agent"],
        capture_output=True,
        timeout=DEADLINE,
        check=True,
    )
    assert done.stdout == NOISE
