"""Promise 8: the agent's stderr passes byte for byte, at once, and is in the capture."""

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


def test_a_flood_on_stderr_does_not_hold_up_stdout(start):
    """The client reads stdout only; the agent writes little enough to the other."""
    peer = start(
        python(
            """
            import os
            os.write(2, b"e" * 60000)
            os.write(1, b"answer\\n")
            os.read(0, 1)
            """
        )
    )
    assert peer.read_line() == b"answer\n"
    assert len(peer.read(60000, peer.stderr)) == 60000
