"""A checker as a new process."""

import os

from acp_spy.live_check.spawn import spawn


def test_a_ctrl_c_is_not_for_it_from_the_first_moment_on(tmp_path):
    """Python takes a while to start, in which it would die of it with a traceback."""
    (wakeups, waker), (reader, output) = os.pipe(), os.pipe()
    pid = spawn(str(tmp_path / "none.jsonl"), wakeups, output)
    try:
        assert os.getpgid(pid) == pid
    finally:
        for descriptor in (wakeups, waker, reader, output):
            os.close(descriptor)
        os.waitpid(pid, 0)
