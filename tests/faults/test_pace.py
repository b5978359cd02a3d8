"""Stopped, slow, or without a reader: whoever sets the pace, it is as it would be without us."""

import hashlib
import json
import os
import random
import signal

import pytest
from support.captures import stream
from support.processes import ACP_SPY, ECHO, Peer, children, pause, python, until

from acp_spy import load

# Sends its agent many lines, a part of them when it is told to, while it reads the answers; tells
# what came back, and how that ended.
CLIENT = python(
    """
    import _thread, hashlib, json, os, sys
    (stdin, to_agent), (from_agent, stdout) = os.pipe(), os.pipe()
    agent = os.fork()
    if not agent:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.execv(sys.argv[1], sys.argv[1:])
    os.close(stdin)
    os.close(stdout)
    def send():
        for n in range(20_000):
            if n % 500 == 0:
                os.read(0, 1)
            data = b'{"n":%d,"text":"%b"}\\n' % (n, b"x" * (n % 1000))
            while data:
                data = data[os.write(to_agent, data):]
        os.close(to_agent)
    _thread.start_new_thread(send, ())
    digest = hashlib.sha256()
    while chunk := os.read(from_agent, 65536):
        digest.update(chunk)
    status = os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1])
    print(json.dumps([digest.hexdigest(), status]))
    """
)
SENT = b"".join(b'{"n":%d,"text":"%b"}\n' % (n, b"x" * (n % 1000)) for n in range(20_000))
PARTS = 40


@pytest.mark.parametrize("proxied", [False, True], ids=["direct", "proxied"])
def test_whoever_is_stopped_and_continued_loses_nothing(tmp_path, proxied):
    """The client, the proxy and the agent, at random."""
    capture = tmp_path / "x.jsonl"
    proxy = [*ACP_SPY, "--no-check", "-o", str(capture), "--"] if proxied else []
    client = Peer([*CLIENT, *proxy, *ECHO], capture)
    parties = [client.pid]
    for _ in range(1 + proxied):
        parties.append(until(lambda: children(parties[-1]), "the next one is started")[0])
    dice = random.Random(20261115)
    for _ in range(PARTS - 1):  # after the last one they end, and there is nobody to be stopped
        client.send(b"!")
        pause(dice.uniform(0, 0.01))
        party = dice.choice(parties)
        os.kill(party, signal.SIGSTOP)
        pause(dice.uniform(0, 0.02))
        os.kill(party, signal.SIGCONT)
    client.send(b"!")
    out, err, status = client.converse()
    assert json.loads(out) == [hashlib.sha256(SENT).hexdigest(), 0]
    assert (err, status) == (b"", 0)
    if proxied:
        assert stream(capture, "client") == stream(capture, "agent") == SENT


def test_a_client_that_writes_a_byte_now_and_then(start):
    """Each byte goes on as it comes, and the frame is stamped when it is whole."""
    peer = start(ECHO)
    line = b'{"jsonrpc":"2.0","method":"one/byte/at/a/time"}\n'
    for number, byte in enumerate(line):
        if number:
            pause(0.005)
        peer.send(bytes([byte]))
        assert peer.read(1) == bytes([byte])
    assert peer.converse() == (b"", b"", 0)
    if peer.capture:
        asked, answered = load(peer.capture).frames
        assert (asked.raw, answered.raw) == (line, line)
        assert answered.t >= asked.t > 0.005 * (len(line) - 1)


# Dies of SIGPIPE unless that is ignored; then it ends by itself.
YES = ["/usr/bin/yes", '{"jsonrpc":"2.0","method":"yes"}']


def gone_reader(start, action):
    """Return how `yes` ends whose reader goes, if SIGPIPE is set like this when it is started."""
    peer = start(YES, preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
    peer.read_line()
    peer.process.stdout.close()
    return peer.wait(), peer


def test_sigpipe_with_its_default_ends_agent_and_proxy_alike(start):
    status, peer = gone_reader(start, signal.SIG_DFL)
    assert status == -signal.SIGPIPE
    if peer.capture:
        assert load(peer.capture).exit.status == -signal.SIGPIPE


def test_sigpipe_ignored_at_the_start_ends_the_agent_all_the_same(start):
    """
    Ours gets the default, because Python does not tell what was set before it ignored it.

    Bare, `yes` is told of the broken pipe and ends by itself. That we ignore it ourselves shows
    in the capture's end, which is written after the reader has gone.
    """
    status, peer = gone_reader(start, signal.SIG_IGN)
    assert status == (-signal.SIGPIPE if peer.capture else 1)
    if peer.capture:
        assert load(peer.capture).exit.status == -signal.SIGPIPE
