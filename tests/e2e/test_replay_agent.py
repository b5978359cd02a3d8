"""A mock agent as a real process, on real pipes."""

import json
import os
import signal
import subprocess

import pytest
from support.in_process import acp_spy_bytes
from support.processes import (
    ACP_SPY,
    DEADLINE,
    PATIENT_REPLAY,
    is_run_by_trio,
    pause,
    python,
    starter,
    until,
)
from support.replays import RICH, Renamed, bytes_peer, capture_of

from acp_spy import Frame, Header, Peer
from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse

CAPTURE = capture_of(RICH)
CLIENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.CLIENT]
AGENT = [frame.raw for frame in CAPTURE.frames if frame.sender is Peer.AGENT]


@pytest.fixture
def start(tmp_path):
    with starter(tmp_path, proxied=False) as start:
        yield start


def write(path, transcript, cwd="/project"):
    path.write_bytes(encode([Header(cwd=cwd), *parse(transcript)]))
    return str(path)


@pytest.fixture
def mock(start, tmp_path):
    """Start a mock agent of a transcript."""

    def mock(*options, transcript=RICH, **popen):
        path = write(tmp_path / "run.jsonl", transcript)
        return start([*ACP_SPY, "replay", "agent", path, *options], **popen)

    return mock


@pytest.mark.parametrize("timeout", ["inf", "1e9"])
def test_a_very_long_timeout_is_no_traceback(tmp_path, timeout):
    path = write(tmp_path / "run.jsonl", RICH)
    words = ("replay", "agent", path, "--timeout", timeout)
    out, _, status = acp_spy_bytes(*words, stdin=b"".join(CLIENT))
    assert (out, status) == (b"".join(AGENT), 3)


@pytest.mark.parametrize("timeout", ["-3", "nan"])
def test_a_timeout_that_is_none_is_refused(tmp_path, timeout):
    path = write(tmp_path / "run.jsonl", RICH)
    out, err, status = acp_spy_bytes("replay", "agent", path, f"--timeout={timeout}")
    assert (out, status) == (b"", 2)
    assert b"the timeout must be a number of seconds" in err


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/0", "/proc/self/fd/1"])
def test_a_verdict_is_not_written_to_the_wire(path, mock):
    assert mock("--verdict", path).converse(b"".join(CLIENT)) == (
        b"",
        f"error: cannot write the verdict `{path}`: it is a stream of this process\n"
        "hint: give the name of a file\n".encode(),
        2,
    )


def test_a_verdict_is_not_written_to_a_file_that_has_the_wire(tmp_path):
    path = write(tmp_path / "run.jsonl", RICH)
    with open(tmp_path / "out", "wb") as wire:
        command = [*ACP_SPY, "replay", "agent", path, "--verdict", str(tmp_path / "out")]
        done = subprocess.run(
            command, stdout=wire, stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False
        )
    assert done.returncode == 2
    assert (tmp_path / "out").read_bytes() == b""


def test_the_recorded_client_gets_the_recorded_bytes_stderr_and_status(mock):
    out, err, status = mock().converse(b"".join(CLIENT))
    assert out == b"".join(AGENT)
    assert err == b"agent 1.0 is ready\nmade in /project\n"
    assert status == 3


def test_the_client_may_be_a_file(start, tmp_path):
    """A regular file is a legitimate stdin, and stdout."""
    path = write(tmp_path / "run.jsonl", RICH)
    (tmp_path / "in").write_bytes(b"".join(CLIENT))
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        peer = start([*ACP_SPY, "replay", "agent", path], stdin=stdin, stdout=stdout)
        assert peer.wait() == 3
    assert (tmp_path / "out").read_bytes() == b"".join(AGENT)


@pytest.mark.parametrize("timing", ["fast", "recorded"])
def test_a_client_with_other_ids_names_and_folder_that_waits_for_each_answer(
    timing, start, tmp_path
):
    path = write(tmp_path / "run.jsonl", RICH)
    other = Renamed(CAPTURE, live=Peer.CLIENT)
    client = bytes_peer(other.frames, Peer.CLIENT, tmp_path / "steps")
    # The client is the parent, as an editor is: it starts the mock and speaks with it.
    relay = python(
        """
        import subprocess, sys
        at = sys.argv.index("--")
        agent = subprocess.Popen(sys.argv[at + 1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client = subprocess.Popen(sys.argv[1:at], stdin=agent.stdout, stdout=agent.stdin)
        agent.stdin.close()
        agent.stdout.close()
        print(agent.wait(), client.wait())
        """
    )
    mock = [*PATIENT_REPLAY, "replay", "agent", path, "--match", "params", "--timing", timing]
    out, err, _ = start([*relay, *client, "--", *mock]).converse()
    assert out == b"3 0\n", err


def test_a_line_that_arrives_while_another_waits_for_its_time_is_not_lost(mock):
    """The client sends all it has at once; the agent takes 30 ms for each answer."""
    transcript = "".join(
        f"""
        -> {{"id":{n},"method":"session/list"}}
        @ {n / 10 + 0.03}
        <- {{"id":{n},"result":{{"sessions":[]}}}}
        @ {n / 10 + 0.1}
        """
        for n in range(5)
    )
    asked = b"".join(b'{"id":%d,"method":"session/list"}\n' % n for n in range(5))
    out, _, status = mock("--timing", "recorded", transcript=transcript).converse(asked)
    assert [json.loads(line)["id"] for line in out.splitlines()] == [0, 1, 2, 3, 4]
    assert status == 0


def test_neither_side_waits_for_the_other_when_both_have_much_to_say(mock):
    """The client writes a megabyte before it reads; the mock answers with a megabyte."""
    big = "x" * 1_000_000
    transcript = f"""
        -> {{"id":0,"method":"a"}}
        <- {{"id":0,"result":"{big}"}}
        -> {{"id":1,"method":"b","params":"{big}"}}
        <- {{"id":1,"result":1}}
    """
    peer = mock(transcript=transcript)
    peer.send(b'{"id":0,"method":"a"}\n')
    pause(0.1)
    peer.send(b'{"id":1,"method":"b","params":"%b"}\n' % big.encode())
    peer.close_stdin()
    assert len(peer.read_all()) == len(big) + 41
    assert peer.wait() == 0


@pytest.mark.parametrize("is_blocking", [True, False])
def test_stderr_that_is_not_read_makes_nobody_wait_and_loses_nothing(mock, is_blocking):
    """Neither what was recorded, which is more than a pipe holds, nor our own words about it."""
    noise = "x" * 100_000
    transcript = f"""
        -> {{"id":0,"method":"a"}}
        !! {noise}
        !! {noise}
        <- {{"id":0,"result":1}}
    """
    ours, theirs = os.pipe()
    os.set_blocking(theirs, is_blocking)
    peer = mock(transcript=transcript, stderr=theirs)
    os.close(theirs)
    peer.send(b'{"id":0,"method":"a"}\n')
    assert peer.read_line() == b'{"id":0,"result":1}\n'
    peer.send(b'{"id":1,"method":"b"}\n')
    assert json.loads(peer.read_line())["id"] == 1
    peer.close_stdin()
    words = peer.read_all(ours).decode()
    os.close(ours)
    assert words.startswith(f"{noise}\n{noise}\nacp-spy: divergence 1: `b` was never recorded\n")
    assert peer.wait() == 1


def test_a_divergence_is_told_on_both_channels(mock):
    peer = mock()
    peer.send(CLIENT[0] + b'{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}\n')
    peer.read_line()
    assert json.loads(peer.read_line()) == {
        "jsonrpc": "2.0",
        "id": 9,
        "error": {
            "code": -32603,
            "message": "acp-spy replay: `session/list` was never recorded;"
            " expected `session/new`, frame 3 of run.jsonl",
            "data": {"expected": "session/new", "frame": 3, "capture": "run.jsonl"},
        },
    }
    peer.send(b"".join(CLIENT[1:]))
    peer.close_stdin()
    assert peer.read_all(peer.stderr).decode() == (
        "agent 1.0 is ready\n"
        "acp-spy: divergence 1: `session/list` was never recorded\n"
        '  expected  frame 3: session/new (id 1) {"cwd":"/project","mcpServers":[]}\n'
        '            frame 4: session/new (id 2) {"cwd":"/project/sub","mcpServers":[]}\n'
        "  got       session/list (id 9) {}\n"
        "made in /project\n"
    )
    assert peer.read_all() == b"".join(AGENT[1:])
    assert peer.wait() == 1


def test_stop_ends_at_once_and_warn_does_not_fail(mock):
    wrong = b'{"id":9,"method":"nonsense"}\n'
    peer = mock("--on-divergence", "stop")
    peer.send(wrong)
    assert json.loads(peer.read_all())["error"]["data"]["expected"] == "initialize"
    assert peer.wait() == 1
    _, _, status = mock("--on-divergence", "warn").converse(wrong + b"".join(CLIENT))
    assert status == 3


def test_a_client_that_falls_silent_is_told_and_left(mock):
    theirs, ours = os.pipe()
    os.write(ours, b"".join(CLIENT[:5]))  # before anybody can wait for it
    peer = mock("--timeout", "0.5", stdin=theirs)
    os.close(theirs)
    last = json.loads(peer.read_all().splitlines()[-1])
    assert peer.wait() == 1
    os.close(ours)
    assert (last["id"], last["error"]["data"]["frame"]) == (3, 12)
    assert b"acp-spy: divergence 1: nothing came for 0.5 s\n" in peer.read_all(peer.stderr)


def test_an_agent_that_ended_by_itself_does_not_wait_for_the_client(mock):
    peer = mock(transcript='-> {"id":0,"method":"a"}\n<- [fatal] no\n<- EOF\n== 4')
    peer.send(b'{"id":0,"method":"a"}\n')
    assert peer.read_all() == b"[fatal] no\n"
    assert peer.wait() == 4


def test_a_client_that_reads_no_more_is_no_reason_to_fail(start, tmp_path):
    path = write(tmp_path / "run.jsonl", RICH)
    peer = start([*ACP_SPY, "replay", "agent", path])
    peer.process.stdout.close()
    peer.send(b"".join(CLIENT))
    peer.close_stdin()
    assert peer.wait() == 3


ONE_SESSION = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}
    <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"plan","entries":[]}}}
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    -> EOF
    == 0
"""


def test_the_same_input_gives_the_same_bytes_however_it_is_cut(mock):
    """In one session: how several are interleaved may depend on a client that pauses."""
    frames = [record for record in parse(ONE_SESSION) if isinstance(record, Frame)]
    whole = b"".join(frame.raw for frame in frames if frame.sender is Peer.CLIENT)
    first, _, _ = mock(transcript=ONE_SESSION).converse(whole)
    assert first.count(b"\n") == 4
    peer = mock(transcript=ONE_SESSION)
    for at in range(0, len(whole), 97):
        peer.send(whole[at : at + 97])
    peer.close_stdin()
    assert peer.read_all() == first
    peer.wait()


def test_ctrl_c_that_ends_the_client_too_is_no_divergence(mock):
    peer = mock()
    until(lambda: is_run_by_trio(peer.pid), "trio is loaded")
    peer.signal(signal.SIGSTOP)  # so that it sees both at once, as in a pipeline
    peer.signal(signal.SIGINT)
    peer.close_stdin()
    peer.signal(signal.SIGCONT)
    assert peer.wait() == 130
    assert b"divergence" not in peer.read_all(peer.stderr)


def test_ctrl_c_is_no_traceback(mock):
    peer = mock()
    peer.send(CLIENT[0])
    peer.read_line()
    peer.signal(signal.SIGINT)
    assert peer.wait() == 130
    assert b"Traceback" not in peer.read_all(peer.stderr)
