"""
A mock client with a real agent as its child, on real pipes.

The mock client is a process of its own where processes matter; otherwise it runs in this one.
"""

import json
import os
import signal

import pytest
from support.captures import stream
from support.effort import some_of
from support.fake_agent import open_descriptors
from support.in_process import acp_spy_bytes
from support.processes import (
    DEADLINE,
    PATIENT_REPLAY,
    changed,
    children,
    is_alive,
    python,
    starter,
    unread,
    until,
)
from support.replays import RICH, Renamed, bytes_peer, capture_of

import acp_spy.live_replay.drive
import acp_spy.replay.player
from acp_spy import Closed, Header, Peer, load
from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse
from acp_spy.live_replay.drive import _ClientStage

CAPTURE = capture_of(RICH)


def with_grace(grace, last_grace):
    """Return a mock client whose agent has so many seconds to end, and to end when it is asked to."""
    return changed(
        f"import acp_spy.live_replay.drive as d; d.GRACE, d.LAST_GRACE = {grace}, {last_grace}"
    )


ONE_ANSWER = '-> {"id":0,"method":"initialize"}\n<- {"id":0,"result":{}}\n-> EOF\n== 0'
FRAMES = [(frame.sender, frame.raw) for frame in CAPTURE.frames]


@pytest.fixture
def start(tmp_path):
    with starter(tmp_path, proxied=False) as start:
        yield start


class Here:
    """A mock client in this process, with as much patience as `PATIENT_REPLAY`."""

    def __init__(self, monkeypatch, words, cwd):
        patience = dict.fromkeys(acp_spy.replay.player._PATIENCE, DEADLINE)
        monkeypatch.setattr(acp_spy.replay.player, "_PATIENCE", patience)
        monkeypatch.setattr(acp_spy.live_replay.drive, "GRACE", DEADLINE)
        self.words, self.cwd = words, cwd

    def converse(self):
        return acp_spy_bytes(*self.words, cwd=self.cwd)


@pytest.fixture
def mock(start, tmp_path, monkeypatch):
    """Start a mock client of a transcript with this agent: here, or as this program."""

    def mock(agent, *options, transcript=RICH, program=None, cwd=None, **popen):
        path = tmp_path / "run.jsonl"
        path.write_bytes(encode([Header(cwd="/project"), *parse(transcript)]))
        words = ["replay", "client", str(path), *options, "--", *agent]
        if program:
            return start([*program, *words], **popen)
        return Here(monkeypatch, words, cwd)

    return mock


def agent_of(tmp_path, frames=FRAMES, status=0):
    return bytes_peer(frames, Peer.AGENT, tmp_path / "steps", status)


@pytest.mark.parametrize("program", [None, PATIENT_REPLAY], ids=["here", "process"])
def test_the_recorded_agent_is_satisfied_and_so_are_we(mock, tmp_path, program):
    out, err, status = mock(agent_of(tmp_path), "--no-map-cwd", program=program).converse()
    assert (out, err, status) == (b"", b"acp-spy: no divergence from run.jsonl\n", 0)


def test_a_capture_without_frames_tests_nothing(mock):
    _, err, status = mock(python(""), transcript="== 0").converse()
    assert (err, status) == (
        b"acp-spy: `run.jsonl` has no frames: there is nothing to compare\n",
        0,
    )


def test_the_live_run_is_recorded_at_once(mock, tmp_path):
    live = tmp_path / "live.jsonl"
    agent = agent_of(tmp_path, status=3)
    options = ["-o", str(live), "--no-map-cwd", "--expect", "exact"]
    _, err, status = mock(agent, *options).converse()
    assert (err, status) == (b"acp-spy: no divergence from run.jsonl\n", 0)
    for sender in Peer:
        recorded = b"".join(raw for peer, raw in FRAMES if peer is sender)
        assert stream(live, sender.value) == recorded
    assert load(live).header.command == tuple(agent)
    assert load(live).exit.status == 3
    ends = [record.sender for record in load(live).records if isinstance(record, Closed)]
    assert ends == [Peer.CLIENT, Peer.AGENT]
    # A second one is not written over the first, and does not go elsewhere in silence.
    _, err, status = mock(agent_of(tmp_path), *options).converse()
    assert err.decode() == (
        f"acp-spy: `{live}` exists: recording to `{tmp_path}/live-2.jsonl`\n"
        "acp-spy: divergence 1: the agent ended differently: it exited with status 0;"
        " the recorded one exited with status 3\n"
        "acp-spy: 1 divergence from run.jsonl\n"
    )
    assert (status, load(tmp_path / "live-2.jsonl").exit.status) == (1, 0)


def test_the_live_run_is_recorded_to_stdout_if_it_is_a_file(mock, tmp_path):
    with open(tmp_path / "live.jsonl", "wb") as stdout:
        options = ["--no-map-cwd", "-o", "/dev/stdout"]
        mocked = mock(agent_of(tmp_path), *options, program=PATIENT_REPLAY, stdout=stdout)
        _, err = mocked.process.communicate(timeout=DEADLINE)
    assert err == b"acp-spy: no divergence from run.jsonl\n"
    assert load(tmp_path / "live.jsonl").exit.status == 0


@pytest.mark.parametrize("number", some_of([3, 4, 5, 6, 9], 4, 9))
def test_the_live_run_is_not_recorded_to_a_descriptor_that_is_not_open(number, mock, tmp_path):
    """Its number may be that of a pipe to the agent, by then."""
    options = ["--no-map-cwd", "-o", f"/dev/fd/{number}"]
    out, err, status = mock(agent_of(tmp_path), *options, program=PATIENT_REPLAY).converse()
    assert (out, err.decode(), status) == (
        b"",
        (
            f"acp-spy: not recording: `/dev/fd/{number}` is not open\n"
            "acp-spy: no divergence from run.jsonl\n"
        ),
        0,
    )


@pytest.mark.parametrize("timing", ["fast", "5x"])
def test_an_agent_with_other_ids_and_names_elsewhere(timing, mock, tmp_path):
    here = tmp_path / "elsewhere"
    here.mkdir()
    other = Renamed(CAPTURE, live=Peer.AGENT, cwd=str(here))
    agent = agent_of(tmp_path, other.frames)
    live = tmp_path / "live.jsonl"
    options = ["--timing", timing, "--match", "params", "-o", str(live)]
    _, err, status = mock(agent, *options, cwd=here).converse()
    assert (err, status) == (b"acp-spy: no divergence from run.jsonl\n", 0)
    said = [json.loads(line) for line in stream(live, "client").splitlines()]
    assert said == [json.loads(line) for line in other.lines(Peer.CLIENT)]


def test_what_the_agent_writes_to_stderr_is_passed_on(mock):
    agent = python("import sys; sys.stderr.write('hello\\n'); sys.exit(5)")
    _, err, status = mock(agent).converse()
    assert err == (
        b"hello\nacp-spy: divergence 1: the agent sent no message: it exited with status 5\n"
        b"acp-spy: 1 divergence from run.jsonl\n"
    )
    assert status == 1


def test_what_differs_is_told(mock, tmp_path):
    frames = [(peer, raw.replace(b'"cancelled"', b'"end_turn"')) for peer, raw in FRAMES]
    _, err, status = mock(agent_of(tmp_path, frames), "--no-map-cwd").converse()
    assert err.decode() == (
        "acp-spy: divergence 1: the response to `session/prompt` differs from the recording"
        " at /result/stopReason\n"
        '  expected  frame 27: response to session/prompt (id 6) {"stopReason":"cancelled"}\n'
        '  got       response to session/prompt (id 6) {"stopReason":"end_turn"}\n'
        '            - /result/stopReason: "cancelled"\n'
        '            + /result/stopReason: "end_turn"\n'
        "acp-spy: 1 divergence from run.jsonl\n"
    )
    assert status == 1


def test_an_agent_that_asks_more_gets_an_error(mock, tmp_path):
    extra = (
        b'{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s-1"}}\n'
    )
    at = next(i for i, (_, raw) in enumerate(FRAMES) if b"fs/read" in raw)
    frames = [*FRAMES[:at], (Peer.AGENT, extra), (Peer.CLIENT, b"an error\n"), *FRAMES[at:]]
    live = tmp_path / "live.jsonl"
    _, _, status = mock(agent_of(tmp_path, frames), "--no-map-cwd", "-o", str(live)).converse()
    assert status == 1
    errors = [line for line in stream(live, "client").splitlines() if b"-32603" in line]
    assert [json.loads(line)["id"] for line in errors] == ["w"]


def test_an_agent_that_answers_nothing_is_left_in_the_end(mock):
    agent = ["/bin/sh", "-c", "while read -r _; do :; done"]
    _, err, status = mock(agent, "--timeout", "1").converse()
    assert err.startswith(b"acp-spy: divergence 1: nothing came for 1 s\n")
    assert status == 1


@pytest.mark.parametrize(
    ("end", "output"),
    [
        ("sys.exit(3)", b"acp-spy: the agent exited with status 3\n"),
        ("os.kill(os.getpid(), 9)", b"acp-spy: the agent was killed by signal 9\n"),
    ],
)
def test_an_agent_that_dies_half_way_is_told_as_that(mock, end, output):
    hello = """print('{"method":"_hello"}', flush=True)"""
    agent = python(f"import os, sys; sys.stdin.readline(); {hello}; {end}")
    _, err, status = mock(agent).converse()
    assert b"recorded messages did not come before the end of the stream\n" in err
    assert err.endswith(output + b"acp-spy: 1 divergence from run.jsonl\n")
    assert status == 1


def test_an_agent_that_does_not_end_is_asked_to_go(mock):
    """It has played its part, and ignores that its client has left."""
    agent = python(
        """
        import os, sys, time
        print(os.getpid(), file=sys.stderr, flush=True)
        sys.stdin.readline()
        sys.stdout.write('{"id":0,"result":{}}\\n')
        sys.stdout.flush()
        time.sleep(600)
        """
    )
    program = with_grace(0.1, DEADLINE)
    _, err, status = mock(agent, transcript=ONE_ANSWER, program=program).converse()
    child, _, said = err.decode().partition("\n")
    assert said == (
        "acp-spy: the agent did not exit within 0.1 s after its stdin was closed, and was ended by"
        " SIGTERM\n"
        "acp-spy: no divergence from run.jsonl\n"
    )
    assert status == 0
    assert not is_alive(int(child))


def test_an_agent_that_does_not_go_is_made_to_which_counts_if_everything_does(mock):
    agent = python(
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.stdin.readline()
        sys.stdout.write('{"id":0,"result":{}}\\n')
        sys.stdout.flush()
        time.sleep(600)
        """
    )
    _, err, status = mock(
        agent, "--expect", "exact", transcript=ONE_ANSWER, program=with_grace(0.1, 0.1)
    ).converse()
    assert err.decode() == (
        "acp-spy: divergence 1: the agent ended differently: it did not exit within 0.1 s after its"
        " stdin was closed, and was ended by SIGKILL; the recorded one exited with status 0\n"
        "acp-spy: 1 divergence from run.jsonl\n"
    )
    assert status == 1


@pytest.mark.parametrize(
    ("options", "at_first"),
    [
        (["--on-divergence", "stop"], 'os.write(1, b\'{"id":0,"method":"nonsense"}\\n\')'),
        ([], "os.close(1)"),
    ],
    ids=["stopped", "closed early"],
)
def test_an_agent_has_time_to_end_by_itself(mock, tmp_path, options, at_first):
    """It tidies up when its client has left; SIGTERM would kill it at once."""
    agent = python(
        f"""
        import os, sys, time
        {at_first}
        sys.stdin.read()
        time.sleep(0.3)
        os._exit(7)
        """
    )
    live = tmp_path / "live.jsonl"
    _, err, status = mock(agent, *options, "-o", str(live)).converse()
    assert b"acp-spy: the agent exited with status 7\n" in err
    assert (status, load(live).exit.status) == (1, 7)


@pytest.mark.parametrize("is_blocking", [True, False])
def test_what_an_agent_writes_to_stderr_is_passed_on_whole_and_makes_nobody_wait(mock, is_blocking):
    """More than a pipe holds, while nobody reads it; and more when it ends."""
    agent = python(
        """
        import os, sys
        os.write(2, b"a" * 100_000 + b"\\n")
        sys.stdin.readline()
        os.write(1, b'{"id":0,"result":{}}\\n')
        sys.stdin.read()
        os.write(2, b"b" * 60_000 + b"\\n")
        """
    )
    ours, theirs = os.pipe()
    os.set_blocking(theirs, is_blocking)
    peer = mock(agent, transcript=ONE_ANSWER, program=PATIENT_REPLAY, stderr=theirs)
    os.close(theirs)
    until(lambda: unread(ours) > 60_000, "the pipe to us is full")
    until(lambda: not children(peer.pid), "the agent has ended though its words were not read")
    words = peer.read_all(ours)
    os.close(ours)
    assert words == (
        b"a" * 100_000 + b"\n" + b"b" * 60_000 + b"\nacp-spy: no divergence from run.jsonl\n"
    )
    assert peer.wait() == 0


def test_a_command_that_cannot_be_run(mock):
    before = open_descriptors(), children(os.getpid())
    _, err, status = mock(["no-such-agent"]).converse()
    assert (err, status) == (b"acp-spy: command not found: `no-such-agent`\n", 127)
    _, _, status = mock([os.devnull]).converse()
    assert status == 126
    assert (open_descriptors(), children(os.getpid())) == before


def test_a_large_message_each_way_does_not_make_both_wait(mock):
    """The agent writes a megabyte before it reads the megabyte that it is sent."""
    big = "y" * 1_000_000
    transcript = f"""
        -> {{"id":0,"method":"a","params":"{big}"}}
        <- {{"method":"b","params":"{big}"}}
        <- {{"id":0,"result":1}}
        -> EOF
    """
    agent = python(
        f"""
        import sys
        sys.stdout.write('{{"method":"b","params":"' + "y" * {len(big)} + '"}}\\n')
        sys.stdout.flush()
        sys.stdin.readline()
        print('{{"id":0,"result":1}}')
        """
    )
    _, err, status = mock(agent, "--expect", "exact", transcript=transcript).converse()
    assert (err, status) == (b"acp-spy: no divergence from run.jsonl\n", 0)


def test_an_agent_that_has_ended_is_not_sent_a_signal():
    """Its number is its own until it is reaped, and `kill` would succeed."""

    class Ended:
        def __init__(self):
            self.end, lives = os.pipe()
            os.close(lives)

        def send(self, number):
            pytest.fail(f"was sent {number}")

    agent = Ended()
    stage = object.__new__(_ClientStage)
    stage._agent, stage._end, stage._sent = agent, agent.end, []
    stage.send_signal(signal.SIGTERM)
    assert stage._sent == []
    os.close(agent.end)


def test_nothing_is_recorded_after_the_agents_end_however_slowly_we_are_read(mock, tmp_path):
    """A child of the agent goes on writing, while who reads our stderr takes his time."""
    live, writes_on = tmp_path / "live.jsonl", tmp_path / "child"
    agent = python(
        f"""
        import os, sys, time
        for line in sys.stdin.buffer:
            os.write(1, b'{{"id":0,"result":{{}}}}\\n')
        os.write(2, b"x" * 150_000)  # one pipe holds less, so ours is full; two and a chunk, more
        os.set_blocking(2, False)
        if not os.fork():
            while True:
                os.write(1, b'{{"late":1}}\\n')
                try:
                    os.write(2, b"late")
                except BlockingIOError:
                    pass
                with open({str(writes_on)!r}, "a") as file:
                    file.write("x")
                time.sleep(0.01)
        os._exit(0)
        """
    )
    program = with_grace(DEADLINE, 0.1)
    peer = mock(agent, "-o", str(live), transcript=ONE_ANSWER, program=program)
    until(lambda: live.exists() and b'"type":"exit"' in live.read_bytes(), "the agent has ended")
    until(writes_on.exists, "its child has begun")
    so_far = writes_on.stat().st_size
    until(lambda: writes_on.stat().st_size > so_far + 5, "its child goes on")
    peer.converse()
    last = live.read_bytes().splitlines()[-1]
    assert b'"type":"exit"' in last
