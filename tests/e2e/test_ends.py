"""Promises 5, 6 and 11: half-closed pipes, nothing lost at exit, and what was not delivered."""

import contextlib
import os
import signal
import subprocess
import threading

import pytest
from support.captures import stream
from support.effort import some_of
from support.processes import (
    ECHO,
    PATIENT_PROXY,
    children,
    end_of,
    is_alive,
    is_run_by_trio,
    pause,
    python,
    read_some,
    unread,
    until,
)

from acp_spy import Closed, Peer, load

# Ends its output after the end of its input, and some more work.
ANSWERS_AFTER_EOF = python(
    """
    import os
    got = b""
    while chunk := os.read(0, 65536):
        got += chunk
    for n in range(1000):
        os.write(1, b"line %d\\n" % n)
    os.write(1, got)
    """
)
IGNORES_EOF = python(
    """
    import os, signal
    os.write(1, b"%d\\n" % os.getpid())
    while os.read(0, 100):
        pass
    os.write(1, b"I do not care\\n")
    while True:
        signal.pause()
    """
)


def test_the_clients_eof_closes_the_agents_stdin_and_the_rest_still_arrives(start):
    peer = start(ANSWERS_AFTER_EOF)
    out, _, status = peer.converse(b"question")
    assert out == b"".join(b"line %d\n" % n for n in range(1000)) + b"question"
    assert status == 0


def test_both_ends_are_in_the_capture_in_their_order(spy):
    peer = spy(ANSWERS_AFTER_EOF)
    peer.converse(b"question\n")
    ends = [record.sender for record in load(peer.capture).records if isinstance(record, Closed)]
    assert ends == [Peer.CLIENT, Peer.AGENT]


def test_the_agents_eof_reaches_the_client_while_the_agent_lives(start):
    peer = start(
        python(
            """
            import os
            os.write(1, b"last words")
            os.close(1)
            while os.read(0, 100):
                pass
            os._exit(6)
            """
        )
    )
    assert peer.read_all() == b"last words"
    assert peer.process.poll() is None
    peer.close_stdin()
    assert peer.wait() == 6


def test_an_agent_that_ignores_eof_is_left_alone(start):
    peer = start(IGNORES_EOF)
    agent = int(peer.read_line())
    peer.close_stdin()
    assert peer.read_line() == b"I do not care\n"
    with pytest.raises(TimeoutError):
        read_some(peer.stdout, 1, within=1.5)  # longer than any patience of the proxy's
    assert is_alive(agent)
    assert peer.process.poll() is None
    peer.signal(signal.SIGTERM)
    assert peer.wait() == -signal.SIGTERM


@pytest.mark.parametrize("frames", some_of([400_000], 100_000))
def test_eight_megabytes_and_exit_read_slowly_arrive_whole(start, frames):
    line = f"%0{8_000_000 // frames - 1}d\n"
    data = "".join(line % n for n in range(frames)).encode()
    peer = start(
        python(
            f"""
            import os
            data = "".join({line!r} % n for n in range({frames})).encode()
            while data:
                data = data[os.write(1, data):]
            os._exit(0)
            """
        ),
        "--no-check",  # so many frames would be judged long after this test
    )
    got = bytearray()
    while chunk := read_some(peer.stdout, 8192):
        got += chunk
        if len(got) % (8192 * 100) == 0:
            pause(0.05)
    assert bytes(got) == data
    assert peer.wait() == 0


@pytest.mark.parametrize("size", [100_000, 200_000, 1_000_000])
def test_a_reader_that_pauses_loses_nothing(start, size):
    line = b"y" * 99 + b"\n"
    peer = start(
        python(f"import os, sys; sys.stdout.buffer.write(b'{'y' * 99}\\n' * {size // 100})")
    )
    first = read_some(peer.stdout, 100)
    until(lambda: unread(peer.stdout) > 60_000, "the pipe is full")
    assert first + peer.read_all() == line * (size // 100)
    assert peer.wait() == 0


# Exits at once; its child goes on writing to the same pipe.
LEAVES_A_WRITER = python(
    """
    import os, time
    if os.fork():
        os._exit(9)
    os.setsid()
    for n in range(5):
        time.sleep(0.05)
        os.write(1, b"still here %d\\n" % n)
        os.write(2, b"and here %d\\n" % n)
    """
)


def test_a_child_that_outlives_the_agent_is_still_heard(start):
    start.program = PATIENT_PROXY
    peer = start(LEAVES_A_WRITER)
    out, err, status = peer.converse()
    assert out == b"".join(b"still here %d\n" % n for n in range(5))
    assert err == b"".join(b"and here %d\n" % n for n in range(5))
    assert status == 9
    if peer.capture:
        assert stream(peer.capture, "agent") == out


def test_a_silent_child_that_holds_the_pipe_is_not_waited_for(spy):
    peer = spy(
        python(
            """
            import os, signal
            child = os.fork()
            if child:
                os.write(1, b"%d\\n" % child)
                os._exit(4)
            os.setsid()
            signal.pause()
            """
        )
    )
    orphan = int(peer.read_line())
    try:
        assert peer.wait() == 4
        assert is_alive(orphan)  # it was no business of ours
    finally:
        end_of(orphan)


def test_a_child_that_took_over_the_conversation_is_served(start):
    """A wrapper is killed; the real agent below it goes on with the turn."""
    start.program = PATIENT_PROXY
    peer = start(
        python(
            """
            import os
            child = os.fork()
            if child:
                os.write(1, b"%d\\n" % os.getpid())
                os.waitpid(child, 0)
            else:
                while chunk := os.read(0, 65536):
                    os.write(1, chunk)
            """
        )
    )
    wrapper = int(peer.read_line())
    os.kill(wrapper, signal.SIGKILL)
    peer.send(b"after the wrapper\n")
    assert peer.read_line() == b"after the wrapper\n"
    peer.close_stdin()
    assert peer.read_all() == b""
    assert peer.wait() == -signal.SIGKILL


def test_a_client_that_stops_reading_for_good_ends_the_run_as_without_us(start):
    """The agent's next write fails, as it would have; here it dies of SIGPIPE."""
    peer = start(["/bin/sh", "-c", "while :; do echo some output; done"])
    assert peer.read(12) == b"some output\n"
    peer.process.stdout.close()
    status = peer.wait()
    assert status in (-signal.SIGPIPE, 2)  # dash sees EPIPE where its stdout is ignored


def test_an_agent_that_closes_its_stdin_gives_the_client_a_broken_pipe(start):
    peer = start(
        python(
            """
            import os, signal
            os.close(0)
            os.write(1, b"deaf\\n")
            signal.pause()
            """
        )
    )
    assert peer.read_line() == b"deaf\n"

    def is_refused():
        try:
            os.write(peer.stdin, b"hello?\n")
        except BrokenPipeError:
            return True
        return False

    until(is_refused, "the client sees that nobody reads")
    assert peer.process.poll() is None


def test_what_the_agent_never_read_is_undelivered(spy):
    peer = spy(
        python(
            """
            import os
            os.read(0, 5)
            os.write(1, b"enough\\n")
            os._exit(0)
            """
        )
    )
    peer.send(b"12345" + b"6789\n" + b"and more\n")  # at once: soon there is nobody to send to
    assert peer.read_all() == b"enough\n"
    peer.wait()
    capture = load(peer.capture)
    assert capture.exit.undelivered == {"agent": len(stream(peer.capture, "client")) - 5}


def test_an_unfinished_line_that_was_not_passed_on_is_undelivered(spy):
    agent = python(
        """
        import os
        os.read(0, 100)
        os._exit(0)
        """
    )
    peer = spy(agent, "--fix")
    peer.send(b'{"jsonrpc":"2.0","method":"_a"}\n{"jsonrpc":"2.0","method":"_b", "params":')
    peer.wait()
    assert load(peer.capture).exit.undelivered == {"agent": 41}


def unread_in(pid, number):
    """Return how many bytes wait in the pipe that another process writes to."""
    descriptor = os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return unread(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(("number", "receiver"), [(1, "client"), (2, "stderr")])
def test_what_the_client_never_read_is_recorded_and_undelivered(spy, number, receiver):
    """Three pipes' worth: in the client's pipe, in our hands, and in the agent's pipe."""
    peer = spy(python(f"import os; os.write({number}, b'x' * 300_000)"))
    descriptor, pipe = {
        1: (peer.stdout, peer.process.stdout),
        2: (peer.stderr, peer.process.stderr),
    }[number]
    taken = len(read_some(descriptor, 1000))
    until(lambda: unread(descriptor) > 60_000, "the pipe to the client is full")
    agent = children(peer.pid)[0]
    until(
        lambda: unread_in(agent, number) > 60_000 and is_run_by_trio(peer.pid),
        "so is that of the agent, and the proxy has its hands full",
    )
    pipe.close()
    peer.wait()
    recorded = stream(peer.capture, "agent" if number == 1 else "stderr")
    assert len(recorded) > 180_000
    assert load(peer.capture).exit.undelivered == {receiver: len(recorded) - taken}


def test_a_flood_of_input_does_not_delay_the_end(spy):
    """`yes | acp-spy -- false`: what nobody read is recorded up to a pipe's worth."""
    peer = spy(["/bin/sh", "-c", "exit 9"], stdin=subprocess.PIPE)

    def flood():
        with contextlib.suppress(BrokenPipeError):
            while True:
                os.write(peer.stdin, b"y\n" * 30000)

    thread = threading.Thread(target=flood)
    thread.start()
    assert peer.wait() == 9
    thread.join()
    assert len(stream(peer.capture, "client")) < 1_000_000


def test_a_run_in_which_all_was_delivered_does_not_speak_of_it(spy):
    peer = spy(ECHO)
    peer.converse(b"all of it\n")
    assert load(peer.capture).exit.undelivered == {}
    assert b"undelivered" not in peer.capture.read_bytes()
