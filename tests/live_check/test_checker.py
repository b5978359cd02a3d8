"""What is said of a checker that ends before its time."""

import os

import pytest

from acp_spy import Header
from acp_spy.engine.tap import Tap
from acp_spy.live_check.checker import CheckerProcess


def begin_one_that_dies_of(name):
    """Return what begins a checker that dies of a signal when nothing more is recorded."""

    def begin(_path, _capture, wakeups, output):
        command = ["sh", "-c", f"cat > /dev/null; kill -{name} $$"]
        ends = [(os.POSIX_SPAWN_DUP2, wakeups, 0), (os.POSIX_SPAWN_DUP2, output, 1)]
        return os.posix_spawn("/bin/sh", command, os.environ, file_actions=ends)

    return begin


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("KILL", "the checker was killed; the recording is not affected"),
        (
            "ALRM",
            (
                "the checker has not ended in 30 seconds; the recording is not affected;"
                " run `acp-spy check {}`"
            ),
        ),
    ],
)
def test_one_that_its_own_alarm_ends_is_reported_as_such(name, reason, tmp_path):
    said = []
    tap = Tap(0, said.append)
    tap.open(str(tmp_path / "run.jsonl"), Header())
    checker = CheckerProcess(tap, None, said.append, begin_one_that_dies_of(name))
    checker.close()
    assert not checker.read()
    checker.leave()
    assert said == [f"checking stopped: {reason.format(tap.path)}"]
    tap.close()
