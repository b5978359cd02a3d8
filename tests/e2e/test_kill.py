"""Promise 2 under fire: whatever a peer has received whole is in the capture, come SIGKILL."""

import os
import random
import signal
import threading

from support.captures import stream
from support.processes import is_alive, pause, python, until

from acp_spy import load

KILLS = 200

# Keeps a diary of what it receives, answers each chunk, and sends much of its own besides.
DIARIST = python(
    """
    import os, sys
    diary = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(1, b'{"pid":%d}\\n' % os.getpid())
    n = 0
    while chunk := os.read(0, 65536):
        os.write(diary, chunk)
        lines = [b'{"answer":%d,"text":"%s"}\\n' % (n + i, b"y" * (n % 700)) for i in range(20)]
        n += 20
        data = b"".join(lines)
        while data:
            data = data[os.write(1, data):]
    """
)


def test_two_hundred_kills_under_load_lose_no_frame_that_anyone_received(spy, tmp_path):
    moments = random.Random(20261115)
    received_by_agent = received_by_client = 0
    for _ in range(KILLS):
        diary = tmp_path / "diary"
        diary.unlink(missing_ok=True)
        # Unjudged, for so many take a while; tests/e2e/test_live.py kills those that are judged.
        peer = spy([*DIARIST, str(diary)], "--no-check")
        agent = int(peer.read_line()[7:-2])

        def load_it(peer=peer):
            frame = 0
            try:
                while True:
                    frame += 1
                    os.write(peer.stdin, b'{"question":%d,"x":"%s"}\n' % (frame, b"x" * frame))
            except BrokenPipeError:
                pass

        client = threading.Thread(target=load_it)
        client.start()
        killer = threading.Thread(target=kill_at, args=(peer.pid, moments.uniform(0, 0.03)))
        killer.start()
        got_by_client = b'{"pid":%d}\n' % agent + peer.read_all()
        killer.join()
        client.join()
        assert peer.wait() == -signal.SIGKILL
        until(lambda agent=agent: not is_alive(agent), "the agent is gone")

        got_by_agent = diary.read_bytes() if diary.exists() else b""
        capture = load(peer.capture)
        assert capture.exit is None
        assert [frame.seq for frame in capture.frames] == list(
            range(1, 1 + len(list(capture.frames)))
        )
        assert stream(peer.capture, "client").startswith(whole_lines(got_by_agent))
        assert stream(peer.capture, "agent").startswith(whole_lines(got_by_client))
        received_by_agent += whole_lines(got_by_agent).count(b"\n")
        received_by_client += whole_lines(got_by_client).count(b"\n")
        peer.capture.unlink()
    # Else it was no load.
    assert received_by_agent > 10 * KILLS
    assert received_by_client > 50 * KILLS


def kill_at(pid, delay):
    pause(delay)
    os.kill(pid, signal.SIGKILL)


def whole_lines(data):
    return data[: data.rfind(b"\n") + 1]
