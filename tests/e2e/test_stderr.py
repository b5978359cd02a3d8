"""Promise 8: the agent's stderr passes byte for byte, at once, and is in the capture."""

import os
from contextlib import suppress

import pytest
from support.captures import stream
from support.processes import ECHO, python, read_some

from acp_spy import Stderr, load


def test_stderr_passes_unchanged_and_nothing_is_added(start):
    peer = start(python("import os; os.write(2, b'warn\\r\\n\\xff\\x00 half a line')"))
    _, err, _ = peer.converse()
    assert err == b"warn\r\n\xff\x00 half a line"
    if peer.capture:
        assert stream(peer.capture, "stderr") == err


def test_stderr_passes_at_once(start):
    peer = start(
        python(
            """
            import os
            os.write(2, b"Loading")
            os.read(0, 1)
            """
        )
    )
    assert read_some(peer.stderr, 100) == b"Loading"
    peer.close_stdin()
    assert peer.wait() == 0


def test_half_a_line_of_stderr_is_in_the_capture_while_the_agent_hangs(spy):
    """What an agent says last before it hangs or dies seldom ends with a newline."""
    peer = spy(
        python(
            """
            import os
            os.write(2, "thinking… \u20ac".encode()[:-1])
            os.read(0, 1)
            """
        )
    )
    assert read_some(peer.stderr, 100) == "thinking… €".encode()[:-1]
    (record,) = [r for r in load(peer.capture).records if isinstance(r, Stderr)]
    assert record.raw == "thinking… ".encode()
    peer.close_stdin()
    peer.wait()
    assert stream(peer.capture, "stderr") == "thinking… €".encode()[:-1]


def test_the_end_of_stderr_reaches_the_client_while_the_agent_lives(start):
    peer = start(
        python(
            """
            import os
            os.close(2)
            os.read(0, 1)
            """
        )
    )
    assert peer.read_all(peer.stderr) == b""
    assert peer.process.poll() is None
    peer.close_stdin()
    assert peer.wait() == 0


def test_all_is_well_and_nothing_is_said(spy):
    assert spy(ECHO).converse(b"x\n") == (b"x\n", b"", 0)


def test_stderr_that_nobody_reads_does_not_hold_up_stdout(start):
    """One thread of the agent is stuck in its logging; the other goes on."""
    peer = start(
        python(
            """
            import _thread, os
            _thread.start_new_thread(os.write, (2, b"e" * 500000))
            while chunk := os.read(0, 65536):
                os.write(1, chunk)
            os._exit(0)
            """
        )
    )
    for number in range(50):
        peer.send(b"%d\n" % number)
        assert peer.read_line() == b"%d\n" % number


@pytest.mark.long
def test_a_stderr_that_nobody_reads_does_not_keep_the_status(spy):
    """With `-v` there is something to be read; the pipe is full before that."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while os.write(writer, bytes(4096)):
            pass
    os.set_blocking(writer, True)
    peer = spy(python("raise SystemExit(3)"), "-v", stderr=writer)
    os.close(writer)
    assert peer.wait() == 3
    os.close(reader)


def test_a_flood_of_lines_on_stderr_is_kept_in_few_records(spy):
    peer = spy(python("import os; os.write(2, b'\\n' * 60000)"))
    peer.converse()
    records = [r for r in load(peer.capture).records if isinstance(r, Stderr)]
    assert b"".join(record.raw for record in records) == b"\n" * 60000
    assert len(records) < 100
