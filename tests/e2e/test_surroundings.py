"""Promise 10: what surrounds the agent is what would surround it without us."""

import json
import os
import socket
import subprocess
import sys
import tty

import pytest
from support.captures import stream
from support.processes import ACP_SPY, DEADLINE, ECHO, pause, python

from acp_spy import load

# Says what it sees of its surroundings.
TELLS = python(
    r"""
    import os, signal, json, resource
    def status(name):
        with open("/proc/self/status") as file:
            return [line.split()[1] for line in file if line.startswith(name)][0]
    def is_open(fd):  # the listing's own is closed by now
        return os.path.exists(f"/proc/self/fd/{fd}")
    with open("/proc/self/environ", "rb") as file:
        environment = file.read().split(b"\0")
    with open("/proc/self/cmdline", "rb") as file:
        argv = file.read().split(b"\0")
    print(json.dumps({
        "argv": [word.hex() for word in argv],
        "environment": [entry.hex() for entry in sorted(environment)],
        "cwd": os.getcwd(),
        "umask": os.umask(0),
        "group": os.getpgid(0) == os.getpgid(os.getppid()),
        "session": os.getsid(0),
        "blocked": status("SigBlk"),
        "ignored": status("SigIgn"),
        "descriptors": [fd for fd in map(int, os.listdir("/proc/self/fd")) if is_open(fd)],
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "nice": os.nice(0),
    }))
    """
)


def surroundings(start, command=TELLS, **popen):
    out, err, status = start(command, **popen).converse()
    assert (err, status) == (b"", 0)
    return json.loads(out)


@pytest.fixture
def both(tmp_path):
    """Run a command bare and behind the proxy; return what it told each time."""
    from support.processes import starter

    def run(*arguments, **popen):
        output = []
        for proxied in (False, True):
            with starter(tmp_path, proxied=proxied) as start:
                output.append(surroundings(start, [*TELLS, *arguments], **popen))
        return output

    return run


def test_argv_and_everything_else_are_unchanged(both):
    arguments = ["--", "-o", "a b", "", "*", "é", "\udcff", "--help", "-v", '"quoted"', "$HOME"]
    direct, proxied = both(*arguments)
    assert proxied == direct


def test_the_environment_is_unchanged(both):
    odd = {"PATH": os.environ["PATH"], "A": "", "B": "x=y\nz", "C": "\udcff"}
    direct, proxied = both(env=odd)
    assert proxied["environment"] == direct["environment"]


def test_an_environment_that_no_dict_could_hold_is_unchanged(both):
    """Names that stand twice, entries without a name or without `=`: C passes them on."""
    import ctypes

    def plant():
        entries = [f"PATH={os.environ['PATH']}", "A=1", "A=2", "=x=1", "alone"]
        array = (ctypes.c_char_p * (len(entries) + 1))(*map(str.encode, entries), None)
        ctypes.c_void_p.in_dll(ctypes.CDLL(None), "environ").value = ctypes.addressof(array)
        plant.kept = array

    direct, proxied = both(preexec_fn=plant)
    assert b"=x=1".hex() in direct["environment"]
    assert proxied["environment"] == direct["environment"]


@pytest.mark.parametrize("locale", [{}, {"LANG": "C"}, {"LC_ALL": "C"}, {"LC_CTYPE": "POSIX"}])
def test_pythons_own_locale_setting_does_not_reach_the_agent(both, locale):
    """In the C locale Python sets LC_CTYPE for itself (PEP 538)."""
    direct, proxied = both(env={"PATH": os.environ["PATH"], **locale})
    assert proxied["environment"] == direct["environment"]


def test_the_working_directory_is_unchanged(both, tmp_path):
    direct, proxied = both(cwd=tmp_path)
    assert proxied["cwd"] == direct["cwd"] == str(tmp_path)


def test_inherited_descriptors_reach_the_agent(both):
    """Node gives its children a channel that way."""
    reader, writer = os.pipe()
    direct, proxied = both(pass_fds=(reader, writer))
    assert {reader, writer} <= set(proxied["descriptors"])
    assert proxied["descriptors"] == direct["descriptors"]
    os.close(reader)
    os.close(writer)


def test_a_removed_working_directory_is_no_obstacle(start, tmp_path):
    """The shell removes it under its own feet, then becomes the proxy or the agent."""
    gone = tmp_path / "gone"
    gone.mkdir()
    peer = start(["/bin/sh", "-c", 'rmdir "$0"; echo done', str(gone)], cwd=gone)
    out, _, status = peer.converse()
    assert (out, status) == (b"done\n", 0)


def test_the_blocking_mode_of_our_pipes_is_as_it_was(tmp_path):
    """Whoever shares the pipes with us must find them as they were, during and after."""
    ours = [os.pipe() for _ in range(3)]
    (in_read, in_write), (out_read, out_write), (err_read, err_write) = ours
    process = subprocess.Popen(
        [*ACP_SPY, "-o", f"{tmp_path}/x.jsonl", "--", *ECHO],
        stdin=in_read,
        stdout=out_write,
        stderr=err_write,
    )
    os.write(in_write, b"x\n")
    assert os.read(out_read, 10) == b"x\n"
    assert all(os.get_blocking(fd) for pipe in ours for fd in pipe)
    os.close(in_write)
    assert process.wait(DEADLINE) == 0
    assert all(os.get_blocking(fd) for fd in (in_read, out_write, err_write))
    for fd in (in_read, out_read, out_write, err_read, err_write):
        os.close(fd)


def test_sockets_instead_of_pipes(start):
    """Node connects its children by sockets."""
    ours, theirs = socket.socketpair()
    peer = start(ECHO, stdin=theirs, stdout=theirs)
    ours.settimeout(DEADLINE)
    data = b"x" * 1_000_000 + b"\n"
    got = bytearray()
    sent = 0
    ours.setblocking(False)
    import select

    while len(got) < len(data):
        readable, writable, _ = select.select([ours], [ours] if sent < len(data) else [], [], 30)
        assert readable or writable
        if readable:
            got += ours.recv(65536)
        if writable:
            sent += ours.send(data[sent : sent + 65536])
    assert bytes(got) == data
    ours.shutdown(socket.SHUT_WR)
    assert peer.wait() == 0
    assert os.get_blocking(theirs.fileno())  # the flag itself; the object would tell its own
    ours.close()
    theirs.close()


@pytest.mark.parametrize("option", [[], ["--control"]], ids=["", "control"])
@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_standard_stream_is_no_obstacle(tmp_path, closed, option):
    capture = tmp_path / "run.jsonl"
    agent = ["/bin/sh", "-c", "echo hello; exit 3"]
    command = [*ACP_SPY, *option, "-o", str(capture), "--", *agent]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if closed != 1 else subprocess.DEVNULL,
        preexec_fn=lambda: os.close(closed),  # noqa: PLW1509 - no threads here
    )
    out = process.communicate(timeout=DEADLINE)[0]
    assert process.returncode == 3
    assert closed == 1 or out == b"hello\n"
    assert stream(capture, "agent") == b"hello\n"


def test_what_the_header_says(spy, tmp_path):
    peer = spy(["/bin/cat", "-"], cwd=tmp_path)
    peer.converse(b"x\n")
    header = load(peer.capture).header
    assert header.format == 1
    assert header.tool.startswith("acp-spy ")
    assert header.command == ("/bin/cat", "-")
    assert header.cwd == str(tmp_path)
    assert header.started.endswith("Z")


def test_python_m_acp_spy_and_the_console_script_are_the_same_program(tmp_path):
    script = os.path.join(os.path.dirname(sys.executable), "acp-spy")
    for number, program in enumerate(([script], ACP_SPY)):
        command = [*program, "-o", f"{tmp_path}/{number}.jsonl", "--", "/bin/cat"]
        done = subprocess.run(command, input=b"x\n", capture_output=True, check=False)
        assert (done.stdout, done.stderr, done.returncode) == (b"x\n", b"", 0)


def test_what_the_agent_closes_of_what_it_inherits_is_closed(start):
    """It says so that it is ready, for example; we pass the pipe on, and must not hold it."""
    reader, writer = os.pipe()
    peer = start(
        python(f"import os; os.write({writer}, b'ready\\n'); os.close({writer}); os.read(0, 9)"),
        pass_fds=(writer,),
    )
    os.close(writer)
    assert read_to_end(reader) == b"ready\n"  # else it would take as long as the agent
    assert peer.converse(b"x\n") == (b"", b"", 0)


def read_to_end(descriptor):
    with open(descriptor, "rb") as pipe:
        return pipe.read()


@pytest.mark.parametrize("stream", [1, 2])
def test_a_named_pipe_that_is_open_both_ways_needs_no_other_reader(start, tmp_path, stream):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    both = os.open(fifo, os.O_RDWR)
    peer = start(
        ["/bin/sh", "-c", f"echo one >&{stream}; read x; echo two >&{stream}"],
        **{"stdout" if stream == 1 else "stderr": both},
    )
    os.close(both)
    pause(0.5)  # nobody else has it open
    with open(os.open(fifo, os.O_RDWR), "rb", buffering=0) as reader:
        assert reader.readline() == b"one\n"
        peer.send(b"go\n")
        assert reader.readline() == b"two\n"
    assert peer.process.wait() == 0


def test_a_named_pipe_may_be_opened_again_for_each_response(start, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    keeper = os.open(fifo, os.O_RDWR)  # so that the agent can open it
    writer = os.open(fifo, os.O_WRONLY)
    peer = start(ECHO, stdout=writer)
    os.close(writer)
    os.close(keeper)
    for line in (b"one\n", b"two\n"):
        with open(fifo, "rb", buffering=0) as client:
            peer.send(line)
            assert client.readline() == line
        pause(0.1)  # nobody has it open
    peer.close_stdin()
    assert peer.process.wait() == 0


def test_the_master_of_a_terminal_may_be_the_stdout(start):
    master, other = os.openpty()
    tty.setraw(other)
    peer = start(ECHO, stdout=master)
    os.close(master)
    peer.send(b"a line\n")
    with open(other, "rb", buffering=0) as client:
        assert client.readline() == b"a line\n"
    peer.close_stdin()
    assert peer.process.wait() == 0
